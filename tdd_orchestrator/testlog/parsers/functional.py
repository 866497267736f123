"""Read the output of Alcotest, OUnit, Hspec, tasty, HUnit and Emacs ERT (``ert-run-tests-batch``)."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.ruled import text_rows

ROWS = text_rows(
    r"""
ocaml RuledReader weight=2 last=yes alcotest
  words    dune  |  alcotest
  status   OK=passed  |  SKIP=skipped
  total    Invalid request \(no tests to run.*\nTesting .*
  work     Testing .*`.*\.
  total    Invalid request \(no tests to run.*|(?:(?P<failed>\d{1,9}) (?:failures?|errors?)!|Test Successful)
            in [\d.]+s\. (?P<ran>\d{1,9}) tests? run\.
  case     [│|] \[FAIL\] +{ALCOTEST} *[│|]
  case     (?:>| ) ?(?:│ )?\[(?P<status>OK|FAIL|SKIP)\] +{ALCOTEST}(?: *│)?
  stop     (?:>| ) ?(?:│ )?\[FAIL\].*\n\s*
  stop     Logs saved to.*| ───.*|┌.*
  reason   (?P<message>\s*)
  skip     └.*|\s*(?:Called from|Re-raised at|Raised at).*
  sign     ^Testing `
  sign     ^(?:\d{1,9} (?:failures?|errors?)!|Test Successful) in [\d.]+s\. \d{1,9} tests? run\.
  sign     ^(?:>| ) ?\[(?:OK|FAIL|SKIP)\] +\S
  sign     ^This run has ID [`'\"]
  sign     ^[│|] \[FAIL\]␣
  begins   Testing [`']
  ends     (?:\d{1,9} (?:failures?|errors?)!|Test Successful) in␣
  apart    {OCAML}
ocaml RuledReader weight=3 ounit
  words    ounit  |  dune
  total    Ran: (?P<total>\d{1,9}) tests in: [\d.]+ [Ss]econds?\.\n\s*OK
  total    (?:OK|SUCCESS|SKIPPED): Cases: (?P<total>\d{1,9})(?:.*? Skip(?:ped)?: *(?P<skipped>\d{1,9}))?
           (?:.*? Todo: *(?P<skipped2>\d{1,9}))?.*
  total    (?:FAILED: )?Cases: \d{1,9} Tried: (?P<total>\d{1,9}) Errors: (?P<errors>\d{1,9})
            Failures: (?P<failed>\d{1,9}) Skip: *(?P<skipped>\d{1,9}) Todo: *(?P<skipped2>\d{1,9})
           (?: Timeouts: *(?P<failed2>\d{1,9}))?.*
  work     Ran: \d{1,9} tests in: [\d.]+ [Ss]econds?\.|[.FESTO]+
  case     ={40}.*\n(?:Error|Failure): (?P<name>\S.*?)\.?
  stop     (?:-----|=====).*
  place    File "(?P<file>[^"]+(?<!\.log))", lines? (?P<line>\d{1,9}).*
  skip     File ".*|(?:Raised at|Called from|Re-raised at|Error: ).*
  sign     ^Ran: \d{1,9} tests in: [\d.]+ [Ss]econd
  sign     ^(?:FAILED: )?Cases: \d{1,9} Tried: \d{1,9} Errors: \d{1,9}␣
  apart    {OCAML}
haskell RuledReader weight=2 hspec
  words    hspec  |  stack  |  cabal  |  runghc  |  runhaskell
  section  Failures:
  total    Finished in .*\n(?P<total>\d{1,9}) examples?, (?P<failed>\d{1,9}) failures?
           (?:, (?P<skipped>\d{1,9}) pending)?
  work     Randomized with seed .*|Finished in .*|.* FAILED \[.*\]|.*\[[✔✘]\].*(?:\]|PENDING)
  listed   ␣ \d{1,9}\) (?P<name>\S.*)
  stop     ␣ To rerun use:.*
  place    {HS_PLACE}
  ahead    {HS_PLACE}
  reason   \s*(?P<message>uncaught exception: (?P<type>\S+).*)
  sign     ^\d{1,9} examples?, \d{1,9} failures?(?:, \d{1,9} pending)?$
  sign     ^Finished in [\d.]+ seconds$
  sign     ^ {2}To rerun use: --match␣
  sign     ^Randomized with seed \d{1,9}$
  sign     ^ {2,20}\S.{0,200} (?:FAILED \[\d{1,9}\]|\[[✔✘]\])$
  apart    {HASKELL}
haskell RuledReader weight=2 tasty
  words    tasty  |  stack  |  cabal
  status   OK=passed  |  SKIP=skipped
  total    (?P<failed>\d{1,9}) out of (?P<total>\d{1,9}) tests failed \([\d.]+s\)
           |All (?P<total2>\d{1,9}) tests passed \([\d.]+s\)
  case     (?P<indent> +)(?P<name>\S.*?): +(?P<status>OK|FAIL|SKIP)(?: \([\d.]+s\))?
  place    {HS_PLACE}
  skip     ␣+Use -p .*
  sign     ^{total}$
  sign     ^ {2,20}\S.{0,200}: +(?:OK|FAIL)(?: \([\d.]+s\))?$
  sign     ^ {4,24}Use -p '
  apart    {HASKELL}
haskell RuledReader weight=2 hunit
  status   Error=error
  total    Cases: (?P<planned>\d{1,9}) {2}Tried: (?P<total>\d{1,9}) {2}Errors: (?P<errors>\d{1,9}) {2}
           Failures: (?P<failed>\d{1,9})
  case     ### (?P<status>Failure|Error) in: (?P<name>\S.*)
  place    {HS_PLACE}
  sign     ^Cases: \d{1,9} {2}Tried: \d{1,9} {2}Errors: \d{1,9} {2}Failures: \d{1,9}
  sign     ^### (?:Failure|Error) in:␣
  apart    {HASKELL}
elisp RuledReader weight=2 after=yes first=yes ert
  words    ert  |  ert-run-tests-batch-and-exit
  status   passed=passed  |  PASSED=failed  |  failed=xfailed  |  FAILED=failed  |  skipped=skipped  |  ABORTED=error
  work     Running \d{1,9} tests \(\d{4}-\d\d-\d\d [\d:]{8}[^,)]{0,20}(?:, selector .*)?\)
  total    (?:Aborted: )?Ran (?P<total>\d{1,9}) tests, \d{1,9} results as expected
           (?:, (?P<failed>\d{1,9}) unexpected)?(?:, (?P<skipped>\d{1,9}) skipped)? \(.*
  count    (?P<known>\d{1,9}) expected failures
  case     ␣{0,3}(?P<status>passed|PASSED|failed|FAILED|skipped|ABORTED) {1,9}\d{1,9}/\d{1,9} {1,2}
           (?P<name>\S.*?)(?: \(\d[\d.]* sec\))?
  case     ␣{3}(?P<status>FAILED|PASSED|ABORTED) {2}(?P<name>\S.*)
  about    Test (?P<name>\S.*) condition:\n(?P<message>\s{4}(?:\((?P<type>[\w-]+))?.*)
  stop     (?! {4}).*
  sign     ^Running (\d{1,9}) tests \(\d{4}-\d\d-\d\d [\d:]{8}[^,)]{0,20}(?:, selector .*)?\)$
  sign     ^ {0,3}(?:passed|PASSED|failed|FAILED|skipped|ABORTED) {1,9}\d{1,9}/\d{1,9} {1,2}\S
  sign     ^(?:Aborted: )?Ran \d{1,9} tests, \d{1,9} results as expected
  sign     ^Debugger entered--Lisp error: \(
  sign     ^Test \S.{0,300} condition:$
  begins   Running \d{1,9} tests \(\d{4}-\d\d-\d\d␣
  ends     Ran \d{1,9} tests, \d{1,9} results as expected
  apart    Debugger entered--Lisp error: \(
""",
)
