"""Choose the test framework for a repository without tests: its language's usual one."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.runners.framework import Framework, matches
from tdd_orchestrator.runners.table import by_name
from tdd_orchestrator.runners.wrappers import text_of

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_NO_SCRIPT = "no test specified"  # what `npm init` writes as the test script


@dataclass(frozen=True, slots=True)
class Usual:
    """``files``: manifests or sources that show the language; ``framework``: the runner to start with."""

    files: tuple[str, ...]
    framework: str


USUAL = (
    Usual(("pyproject.toml", "setup.py", "setup.cfg", "requirements*.txt", "Pipfile"), "pytest"),
    Usual(("package.json",), "node-test"),
    Usual(("go.mod",), "go-test"),
    Usual(("Cargo.toml",), "cargo-test"),
    Usual(("pom.xml",), "maven-surefire"),
    Usual(("build.gradle", "build.gradle.kts"), "gradle"),
    Usual(("mix.exs",), "exunit"),
    Usual(("composer.json",), "phpunit"),
    Usual(("Package.swift",), "swift-test"),
    Usual(("Gemfile", "*.gemspec"), "rspec"),
    Usual(("**/*.csproj", "**/*.fsproj"), "dotnet"),
    Usual(("*.py", "src/**/*.py", "*/__init__.py"), "pytest"),
    Usual(("*.js", "*.mjs", "src/**/*.js"), "node-test"),
)


def usual_framework(paths: Sequence[str]) -> tuple[Framework, str] | None:
    """Return (framework, the file that shows its language); None for other languages."""
    for row in USUAL:
        hit = next((path for path in paths if matches(path, row.files)), "")
        if hit:
            return by_name(row.framework), hit
    return None


def make_target(root: Path) -> tuple[tuple[str, ...], str]:
    """Return (``make test``, the makefile's name) if a makefile has that target; else nothing."""
    for name in _MAKEFILES:
        if re.search(r"(?m)^test\s*:(?!=)", text_of(root / name)):
            return ("make", "test"), name
    return (), ""


def npm_script(root: Path) -> str:
    """Return package.json's test script; empty without one, or for the default of ``npm init``."""
    try:
        script = json.loads(text_of(root / "package.json") or "{}").get("scripts", {}).get("test", "")
    except (ValueError, AttributeError):
        return ""
    return script if isinstance(script, str) and _NO_SCRIPT not in script else ""
