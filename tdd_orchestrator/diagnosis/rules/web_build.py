"""TypeScript, JavaScript's parsers and bundlers."""

from __future__ import annotations

from functools import partial

from tdd_orchestrator.diagnosis.rules.row import Rule, Zone
from tdd_orchestrator.model.diagnosis import Category, ErrorType, RoutingType, Severity

_build = partial(
    Rule,
    routing=RoutingType.BUILD,
    error=ErrorType.BUILD,
    category=Category.SEMANTIC,
    severity=Severity.MEDIUM,
    weight=60,
)
_syntax = partial(_build, error=ErrorType.SYNTAX, severity=Severity.LOW, weight=70)
_type = partial(_build, error=ErrorType.TYPE, weight=66)
_missing = partial(_build, error=ErrorType.DEPENDENCY, category=Category.DEPENDENCY, weight=75)

# fmt: off
RULES = (
    _build(
        "tsc-said",
        words=("tsc", "TS1", "TS2", "TS5", "TS6", "TS7"),
        pattern=r"\btsc\b.{0,80}(?:fail|exited|error)|\bTS[125-7]\d{3,4}\b",
        weight=46,
        samples=("Command `tsc --noEmit` failed",),
    ),
    _missing(
        "ts-missing-module",
        words=("TS2307", "TS2792", "TS7016", "TS2688", "TS2580", "TS2582", "TS2591", "TS2305", "TS2614",
            "TS2724"),
        pattern=r"error\S* TS(?:2307|2792|7016|2688|2580|2582|2591)|TS(?:2307|2792|7016|2688)\b",
        samples=(
            (
                "src/app.ts(1,20): error TS2307: Cannot find module 'left-pad9' or its corresponding type "
                "declarations."
            ),
        ),
    ),
    _syntax(
        "ts-syntax",
        words=("TS1",),
        pattern=r"error\S* TS1(?:00\d|0[1-9]\d|1\d\d|[2-4]\d\d)\b",
        samples=("src/app.ts(2,10): error TS1005: ':' expected.",),
    ),
    _build(
        "ts-configuration",
        words=("TS5", "TS6", "TS18"),
        pattern=r"error\S* TS(?:5\d\d\d|6\d\d\d|1800[23])\b",
        weight=67,
        samples=("tsconfig.json(1,21): error TS5023: Unknown compiler option 'stricct'.",),
    ),
    _type(
        "ts-type",
        words=("error TS", "error\x20TS", "TS2", "TS7", "TS18", "is not assignable to type", "Property '",
            "TSError", "error NG"),
        pattern=(
            r"error NG\d{3,5}: |error\S* TS\d{4,5}\b|TS\d{4,5}: |is not assignable to (?:type"
            "|parameter of type) '|Property '[^']+' does not exist on type|Unable to compile TypeScript"
        ),
        samples=(
            "src/app.ts(2,7): error TS2322: Type 'string' is not assignable to type 'number'.",
            "src/app.ts:2:7 - error TS2554: Expected 2 arguments, but got 1.",
            "Type 'string' is not assignable to type 'number'.",
        ),
    ),
    _missing(
        "js-missing-module",
        words=("Cannot find module", "Cannot find package", "ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND",
            "Can't resolve", "Could not resolve", "Failed to resolve import", "failed to resolve import",
            "Failed to resolve entry", "Rollup failed to resolve", "Cannot resolve", "Module not found",
            "Could not locate module", "ERR_PACKAGE_PATH_NOT_EXPORTED", "ERR_UNSUPPORTED_DIR_IMPORT",
            "UNRESOLVED_IMPORT", "Could not find a declaration", "Failed to load url", "No matching export",
            "MISSING_EXPORT", "does not provide an export named", "is not exported by", "was not found in '",
            "ERR_UNKNOWN_BUILTIN_MODULE"),
        pattern=(
            "Cannot find (?:module|package)|MODULE_NOT_FOUND|Can't resolve '"
            r"|Could not resolve [\"'](?!host)|[Ff]ailed to resolve (?:import|entry)|Module not found"
            "|Could not locate module|ERR_PACKAGE_PATH|ERR_UNSUPPORTED_DIR|UNRESOLVED_IMPORT"
            "|Failed to load url|ERR_UNKNOWN_BUILTIN"
        ),
        weight=72,
        samples=(
            (
                "Error: Cannot find module 'left-pad9'\nRequire stack:\n- /repo/src/app.js\n"
                "    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)\n"
                "    at Object.<anonymous> (/repo/src/app.js:1:13)"
            ),
            (
                '✘ [ERROR] Could not resolve "./missing"\n\n    src/app.ts:1:20:\n'
                '      1 │ import x from "./missing"'
            ),
            (
                "ERROR in ./src/index.js 1:0-29\nModule not found: Error: Can't resolve './missing' in "
                "'/repo/src'"
            ),
        ),
    ),
    _build(
        "js-missing-export",
        words=("No matching export", "MISSING_EXPORT", "does not provide an export named",
            "is not exported by", "was not found in '"),
        pattern=(
            r"No matching export|MISSING_EXPORT|does not provide an export named|is not exported by \""
            "|export '[^']+' .*was not found in '"
        ),
        weight=73,
        samples=('✘ [ERROR] No matching export in "src/util.ts" for import "total"\n\n    src/app.ts:1:9:',),
    ),
    _syntax(
        "js-module-kind",
        words=("Cannot use import statement outside a module", "ERR_REQUIRE_ESM", "Unexpected token 'export'",
            "Unexpected token 'import'", "require is not defined in ES module scope",
            "exports is not defined in ES module scope", "Jest encountered an unexpected token",
            "Must use import to load ES Module"),
        error=ErrorType.BUILD,
        weight=71,
        samples=(
            (
                "/repo/src/app.js:1\nimport x from 'y';\n^^^^^^\n\n"
                "SyntaxError: Cannot use import statement outside a module\n"
                "    at wrapSafe (node:internal/modules/cjs/loader:1515:18)"
            ),
        ),
    ),
    _syntax(
        "js-syntax",
        words=("SyntaxError", "Unexpected ", "Unterminated", "[ERROR] Expected", "Expected \"", "PARSE_ERROR",
            "Parse error", "Parse failure", "Transform failed", "[plugin:vite:", "Parsing error",
            "has already been declared", "Expected unicode escape", "Syntax Error", "RollupError"),
        pattern=r"^(?:\w+: |\[[\w:./-]+\] |✘ |  - )*(?:Uncaught |Inline script )?SyntaxError(?::"
            "|$)(?! (?:Unexpected (?:token .{0,40}(?:in JSON|is not valid JSON)|end of JSON)|JSON"
            "|Expected .{0,60}JSON|Bad control|Unterminated string in JSON"
            r"|Expected property name or '}' in JSON|\"))|\[ERROR\] (?:Unexpected|Unterminated|Expected"
            r"|Syntax)|\[(?:vite:)?esbuild\] Transform failed|^error: (?:Unexpected|Unterminated|Expected) "
        r"|PARSE_ERROR|RollupError: .*\(\d+:\d+\): (?:Express|Expect|Unexpect|Untermin|Invalid"
            r"|Identifier)|Parse failure|Module parse failed|Unexpected token \(\d+:\d+\)"
            "|Unexpected token, expected|: ERROR: (?:Unexpected|Expected|Unterminated|The symbol)"
            r"|symbol \"[^\"]+\" has already been declared|Syntax Error",
        samples=(
            '✘ [ERROR] Unexpected "*"\n\n    src/app.ts:2:12:\n      2 │   return 1 +* 2;',
            (
                "/repo/src/app.js:2\n  return 1 +* 2;\n            ^\n\nSyntaxError: Unexpected token '*'\n"
                "    at wrapSafe (node:internal/modules/cjs/loader:1515:18)"
            ),
            (
                "ERROR in ./src/index.js 2:12\nModule parse failed: Unexpected token (2:12)\n"
                "You may need an appropriate loader"
            ),
        ),
    ),
    _build(
        "js-bundler",
        words=("ERROR in ", "webpack ", "error during build", "Build failed with", "[vite]", "[rollup]",
            "(!) ", "Rollup", "[ERROR]", "esbuild", "RollupError", "Failed to compile",
            "Invalid configuration object", "postcss", "Undefined variable", "CssSyntaxError", "SassError",
            "ModuleBuildError", "webpack-cli"),
        pattern=(
            r"^ERROR in |webpack \d[\d.]* compiled with \d+ error|error during build"
            r"|Build failed with \d+ error|^\[vite\]|RollupError|^✘ \[ERROR\]|^Failed to compile"
            r"|Invalid configuration object|CssSyntaxError|SassError|Undefined variable\.$|ModuleBuildError"
            r"|\[webpack-cli\]"
        ),
        weight=55,
        samples=("ERROR in ./src/a.js\nsomething odd",
            "✘ [ERROR] No loader is configured for \".png\" files: src/logo.png\n\n    src/app.ts:1:7:"),
    ),
    _build(
        "js-bundler-configuration",
        words=("failed to load config from", "Invalid configuration object"),
        weight=98,
        samples=(
            "failed to load config from /repo/vite.config.js\nerror during build:\n"
                "ReferenceError: nope is not defined\n"
            "    at file:///repo/node_modules/.vite-temp/vite.config.js.timestamp-1.mjs:2:38",
        ),
    ),
    _syntax(
        "json-config-syntax",
        words=("JSON", "tsconfig", "package.json"),
        pattern=(
            r"JSON(?:\.parse|ParseError)?.{0,60}package\.json|(?:tsconfig|package"
            r"|\.eslintrc)\S*\.json.{0,80}(?:Unexpected|expected|JSON)"
        ),
        zone=Zone.FREE,
        samples=((
            "npm error code EJSONPARSE\nnpm error JSON.parse Invalid package.json: JSONParseError: "
            "Expected ',' or '}' after property value"
        ),),
        weight=76,
    ),
    _syntax(
        "npm-json-syntax",
        words=("EJSONPARSE",),
        zone=Zone.FREE,
        samples=("npm error code EJSONPARSE\nnpm error JSON.parse Failed to parse JSON data.",),
        weight=75,
    ),
)
# fmt: on
