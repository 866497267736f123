"""Data shared by the rows of JavaScript: patterns of files, configuration, samples."""

from __future__ import annotations

import json

from tdd_orchestrator.runners.framework import Measure, Sample

EXT = "{js,jsx,ts,tsx,mjs,cjs,mts,cts}"
FILES = (
    f"**/*.{{test,spec}}.{EXT}",
    "**/*.test-d.ts",
    f"{{test,spec}}.{EXT}",
    f"**/__tests__/**/*.{EXT}",
    f"**/{{test,tests}}/**/*.{EXT}",
)
SUPPORT = (
    "**/__mocks__/**", "**/__fixtures__/**", "**/__snapshots__/**", "fixtures/**",
    "**/{spec,specs,e2e,integration,cypress,__tests__}/**/fixtures/**", "**/{test,tests}/**",
)  # fmt: skip
_KEYS = ("scripts", "jest", "vitest", "mocha", "ava", "tap", "jasmine", "nyc", "c8", "babel", "type",
    "imports",
         "cypress", "qunit", "cucumber", "wireit", "husky")  # fmt: skip
MANIFEST_KEYS = (("package.json", _KEYS),)
COMMON = (".npmrc", ".env", ".env.*", ".babelrc*", "babel.config.*", ".swcrc", ".node-options")
V8 = Measure("v8", env=(("NODE_V8_COVERAGE", "{folder}"),))
"""What node writes itself, for runners that run a file as it is written."""
NAME_LEAF = r"(?:.*[>›] )?(.*)$"


def depends(name: str) -> tuple[tuple[str, str], ...]:
    return (("**/package.json", rf'"{name}"\s*:\s*"[^"]*\d|"{name}"\s*:\s*"(?:latest|\*|workspace:)'),)


def command_pattern(name: str) -> str:
    return rf"(?:^|[\s/;&|]){name}(?:\.js|\.mjs|\.cjs)?(?:@\S+)?(?=\s|$|;|&)"


def sample(name: str, path: str, text: str = "") -> tuple[Sample, ...]:
    manifest = json.dumps({"scripts": {"test": text or name}, "devDependencies": {name: "^1.0.0"}})
    files = (("package.json", manifest), (path, "// tests"))
    return (Sample(files), Sample(files, "npm test"), Sample((), f"npx {text or name}"))
