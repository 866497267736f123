"""Linters, formatters and type checkers of scripting languages."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family lint routing=build-error error=lint category=SEMANTIC severity=LOW weight=62 zone=free
lint mypy error=type severity=MEDIUM weight=68
  words    : error:␣  |  .py:
  pattern  \.pyi?(?:(?::\d+){1,2}: error: |: error: (?:Source file found|Cannot (?:read|find)|Can't find
           |Duplicate module|Library stubs|No parent module))
  sample   app/main.py:4: error: Item "None" of "Match[str] | None" has no attribute "group"  [union-attr]
lint mypy-missing-stub error=dependency category=DEPENDENCY severity=MEDIUM weight=69
  words    [import-not-found]  |  [import-untyped]  |  import-not-found
  sample   app/main.py:1: error: Cannot find implementation or library stub for module named "ratesx"
             [import-not-found]
lint mypy-syntax error=syntax weight=72
  words    [syntax]  |  invalid-syntax  |  E999  |  (syntax-error)  |  Parsing error  |  Cannot parse
             |  cannot parse  |  cannot format  |  SyntaxError:␣
  pattern  \[syntax\]|invalid-syntax|\bE999\b|\(syntax-error\)|Parsing error: (?!.*(?:TSConfig|parserOptions
           |Cannot read))|^error: (?:cannot format .*)?[Cc]annot parse|: SyntaxError:␣
  sample   app/main.py:3:11: E999 SyntaxError: '(' was never closed
lint pyright error=type severity=MEDIUM weight=68
  words    ␣- error:␣  |  error:␣
  pattern  \.pyi?:\d+:\d+ - error:␣
  sample     /repo/app/main.py:4:5 - error: Argument of type "str" cannot be assigned to parameter "a" of
            type "int"  (reportArgumentType)
lint python-linters
  words    .py:  |  ␣-->␣  |  ************* Module  |  would reformat  |  Found␣
             |  Imports are incorrectly sorted  |  Issue: [B  |  ruff failed
  pattern  \.pyi?:\d+:\d+: [A-Z]{1,4}\d{2,4}\b|\.pyi?:\d+: [A-Z]\d{3}\b|\*{10,} Module|^would reformat
           |^ *-?-> \S+\.pyi?:\d+:\d+|^Found \d+ errors?\.| Imports are incorrectly sorted|^ruff failed
           |Issue: \[B\d+|^Would reformat
  sample   app/main.py:1:1: F401 'os' imported but unused
  sample   ************* Module main\napp/main.py:5:11: W0611: Unused import os (unused-import)
  sample   would reformat /repo/app/main.py\n\nOh no!\n1 file would be reformatted.
  sample   F401 [*] `os` imported but unused\n --> app/main.py:1:8\n  |\n1 | import os\n
lint pylint-error weight=63
  words    : E  |  : F
  pattern  \.pyi?:\d+:\d+: [EF]\d{4}:␣
  sample   ************* Module main\napp/main.py:1:0: C0114: Missing module docstring
            (missing-module-docstring)\napp/main.py:5:11: E1101: Module 'os' has no 'pathx' member (no-member)
lint eslint
  words    problem  |  ␣ error ␣  |  ESLint  |  eslint  |  biome  |  lint/  |  oxlint  |  (no-
             |  : line␣  |  standard:␣  |  [warn]␣  |  Code style issues  |  stylelint
  pattern  ^✖ \d+ problems?|^\s+\d+:\d+\s+(?:error|warning|✖)\s|^ESLint: |[^\s]+ lint/\w+/\w+|^\[(?:warn
           |error)\] (?:Code style|\S+\.\w+$)|Code style issues|^\s*[×x!⚠] [\w-]+\([\w/-]+\):
            |^\S+\.\w+: line \d+, col \d+, |^\s+\S+:\d+:\d+: .{4,300} \([\w/-]+\)$
  sample   /repo/src/app.js\n  1:7  error  'x' is assigned a value but never used  no-unused-vars\n\n
           ✖ 1 problem (1 error, 0 warnings)
lint eslint-crash weight=98
  words    Oops! Something went wrong  |  ESLint couldn't find  |  Invalid option
  pattern  ^Oops! Something went wrong|ESLint couldn't find|^Invalid option '
  sample   Oops! Something went wrong! :(\n\nESLint: 10.1.0\n\nTypeError: Key "rules": Could not find "x"\n
               at f (/repo/node_modules/eslint/lib/c.js:1:1)
lint prettier-syntax error=syntax weight=73
  words    [error]␣
  pattern  ^\[error\] \S+: SyntaxError
  sample   [error] src/app.js: SyntaxError: Unexpected token (2:12)\n[error]   1 | x
lint other-linters weight=67
  words    golangci  |  (errcheck)  |  (govet)  |  (staticcheck)  |  (unused)  |  (ineffassign)
             |  (revive)  |  SC1  |  SC2  |  clippy  |  rubocop  |  C:␣  |  offense  |  PHPStan  |  phpcs
             |  hadolint  |  DL3  |  checkstyle  |  [ERROR]␣  |  ktlint  |  cppcheck  |  clang-tidy
             |  -Werror  |  yamllint  |  line too long  |  W:␣  |  shellcheck  |  Diff in␣  |  credo
             |  gofmt  |  Found 1 error  |  violation  |  [WARN]
  pattern  \((?:errcheck|govet|staticcheck|unused|ineffassign|revive|gosimple|typecheck|gosec|gocritic
           |misspell|lll)\)$|\bSC[12]\d{3}\b|clippy::|^\S+\.rb:\d+:\d+: [CWEF]: |offenses? detected
           |\[ERROR\] Found \d+ errors?$|\bDL[34]\d{3}\b|[Cc]heckstyle (?:violation|rule)|ktlint
           |\[-Werror[=\]]|(?:clang-tidy|\[clang-|\[readability-|\[bugprone-|\[modernize-)|^Diff in \S+
           |^\s+\d+:\d+\s+(?:error|warning)\s+.*\([\w-]+\)$|^-{3,}\n\| ERROR
  sample   main.go:5:12: Error return value of `os.Remove` is not checked (errcheck)
  sample   In deploy.sh line 3:\nrm $x\n   ^-- SC2086 (info): Double quote to prevent globbing
"""
)
