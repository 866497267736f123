"""Linters, formatters and type checkers: those that are known by name, then any by the form of its output."""

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

RULES += rules(
    r"""
family lint routing=build-error error=lint category=SEMANTIC severity=LOW weight=66 zone=free
lint place-and-rule-name weight=61
  words    )  |  ]
  pattern  ^(?:\[[A-Z]+\] \S{1,300}?\.\w{1,10}:\d+(?::\d+)?|\S{1,300}?\.\w{1,10}:\d+:\d+
           |\S{1,300}?\.\w{1,10}:\d+: (?:error|warning|style|info)):? .{4,300} (?:\((?:[\w-]+:)?[a-z]+
           (?:[-_/][a-z0-9]+)+\)|\[(?:[A-Z][a-z]+){2,6}\]|\[[a-z]+(?:[-_/][a-z0-9]+)+\])$
  sample   /repo/src/main/kotlin/Cart.kt:3:1: Unused import (standard:no-unused-imports)
  sample   [ERROR] /repo/src/main/java/com/shop/Cart.java:12: Line is longer than 100 characters (found 120).
            [LineLength]
lint line-and-rule-name weight=61
  words    ✖  |  error  |  warning  |  ⚠
  pattern  ^\s+\d+:\d+\s+(?:✖|⚠|×|error|warning)\s+\S.{1,300}\s{2,}[\w@/-]+$
  sample   src/app.css\n  3:10  ✖  Unexpected unknown unit "pixels"  unit-no-unknown\n\n
           1 problem (1 error, 0 warnings)
lint rule-number-or-remark weight=60
  words    :␣  |  ␣==>␣  |  % confidence)  |  (Severity:␣
  pattern  ^\s+[A-Z]{1,4}\d{2,4}: [A-Z]\w+ |^\S+\.\w+:\d+: \S+ ==> \S|\(\d+% confidence\)$|\(Severity: \d\)$
           |^\s+\S+\.lua:\d+:\d+:␣
  sample   app/main.py:1 at module level:\n        D100: Missing docstring in public module
  sample   app/main.py:1: teh ==> the
  sample   app/main.py:1: unused function 'f' (60% confidence)
lint cppcheck weight=67
  words    : error:␣  |  : warning:␣  |  : style:␣  |  : performance:␣  |  : portability:␣
  pattern  \.(?:c|cc|cpp|cxx|h|hpp)(?::\d+)+: (?:error|warning|style|performance
           |portability): .{1,300} \[[a-z]+(?:[A-Z][a-z]*)+\]$
  sample   a.cpp:1:31: error: Null pointer dereference: p [nullPointer]
lint go-linters weight=67
  words    .go:
  pattern  ^\S+\.go:\d+:\d+: .{3,300} \((?!truncated|typecheck)[a-z]+\)$
  sample   cart.go:12:2: S1000: should use for range instead of for { select {} } (gosimple)
lint linter-that-did-not-run error=build
  words    Running error:␣  |  typechecking error:␣  |  Can't run linter␣  |  can't load config:␣
             |  context loading failed
  sample   level=error msg="Running error: context loading failed: no go files to analyze"
lint named-linters
  words    Violation:␣  |  FOUND␣  |  [ERROR] High:␣  |  [ERROR] Medium:␣  |  [ERROR] Low:␣
             |  that can be fixed in␣  |  issue(s) found  |  MD0  |  MD1  |  yamllint  |  SwiftLint
             |  Checkstyle ends with  |  checkstyle  |  detekt  |  PMD  |  cpplint  |  psalm  |  Psalm
             |  phpcs  |  PHPCBF  |  php-cs-fixer  |  tflint  |  tfsec  |  sqlfluff  |  [check]
             |  markdownlint  |  actionlint  |  dartanalyzer  |  scalafmt  |  scalafix  |  staticcheck
             |  buf lint  |  spectral  |  erblint  |  brakeman  |  pydocstyle  |  vulture  |  flake8
             |  isort  |  black  |  deno lint  |  oxlint  |  standard:␣  |  htmlhint  |  codespell
             |  typos  |  HLint  |  hlint  |  Suggestion:␣  |  error[  |  L0  |  LT0  |  warnings found
             |  Warning:␣  |  •␣
  pattern  ^\[ERROR\] (?:High|Medium|Low): .{1,300} At \S+:\[line|that can be fixed in \d|: (?:error
           |warning): .{1,80} Violation: |^\S+\.md:\d+(?::\d+)? (?:error )?MD\d{3}
           |Checkstyle ends with \d+ errors?|checkstyle (?:rule )?violations|\[detekt\]|detekt found
           |PMD (?:found|Failure)|^\S+:\d+:  .{1,200}  \[[a-z_]+/[a-z_+]+\] \[\d\]$
           |^ERROR: \w+ - \S+\.php:\d+|FOUND \d+ ERRORS? AFFECTING|\d+ issue\(s\) found:$|^L: +\d+
            \| P: +\d+ \| \w{2,4}\d{2,3} \||^\S+\.hs:\d+:\d+(?:-\d+)?: (?:Suggestion|Warning): |^\s+(?:error
           |warning|info) • .{1,300} • \S+:\d+:\d+ • \w+$|^\s*error\[[a-z-]+\]: .{1,200}$|\(no-[a-z-]+\)
           |^\d+ code style (?:errors|issues)|^\S+\.ya?ml:\d+:\d+: \[(?:error|warning)\]|not formatted(?::
            |$)|is not formatted
  sample   /repo/Sources/Shop/Cart.swift:4:1: error: Line Length Violation: Line should be 120 characters or
            less; currently it has 160 characters (line_length)
  sample     error • Unused import: 'dart:io' • lib/cart.dart:1:8 • unused_import
  sample   ERROR: UndefinedMethod - src/Cart.php:12:9 - Method Cart::totl does not exist (see
            https://psalm.dev/022)
"""
)
