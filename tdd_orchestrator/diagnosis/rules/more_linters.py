"""Rules for linters by the form of their output: a place, a sentence, and the name of a rule."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
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
