"""Read the output of Hspec, tasty and HUnit."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.parsers.ruled import RuledReader

ROWS = text_rows(
    r"""
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
""",
    RuledReader,
)
