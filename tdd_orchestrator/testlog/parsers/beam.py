"""Read the output of EUnit (also under rebar3), Common Test and ExUnit."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.ruled import RuledReader, text_rows


class CommonTestReader(RuledReader):
    """Completes the file of a suite, which is printed without its ending."""

    def _case(self, found: dict[str, str | None]) -> None:
        super()._case(found | ({"file": f"{found['file']}.erl"} if found.get("file") else {}))


ROWS = text_rows(
    r"""
erlang RuledReader weight=2 eunit
  words    eunit  |  rebar3
  status   ok=passed  |  skipped=skipped  |  did not run=skipped
  total    ␣{2}Failed: (?P<failed>\d{1,9})\. {2}Skipped: (?P<skipped>\d{1,9})\. {2}Passed: (?P<passed>\d{1,9})\..*
  total    ␣{2}(?:All )?(?P<passed>\d{1,9}) tests? passed\..*
  total    ␣{2}(?P<passed>T)est passed\..*
  total    ␣{2}There were no tests to run.*
  total    (?P<total>\d{1,9}) tests?, (?P<failed>\d{1,9}) failures?
           (?:, (?:(?P<skipped>\d{1,9}) skipped|(?P<skipped2>\d{1,9}) cancelled))*
  work     ={24} EUnit.*|===> Performing EUnit.*
  red      \*{3} .*(?:failed|bad test).*|One or more tests were cancelled.*|===> Error running tests.*
  case     \s*(?P<name>[a-z]\w*(?::\d{1,9})?: ?\S.*?)(?: \(module '.*)?\.\.\.(?:\[[\d.]+ s\] )?
           \*(?:(?P<message>timed out)|(?P<status>failed|skipped|did not run))\*.*
  case     \s+(?P<name>[a-z]\w*(?::\d{1,9})?: ?\S.*?)\.\.\.(?:\[[\d.]+ s\] )?(?P<status>ok)
  case     ␣{2}\d{1,9}\) (?P<name>\S+?)(?:: (?:module|.*))?
  place    ␣{5}%% (?P<file>[^\s:]+\.erl):(?P<line>\d{1,9}):in .*
  place    in (?:function|call) (?!.*\(eunit).*?(?P<file>[^\s()]+\.erl), line (?P<line>\d{1,9}).*
  reason   (?P<message>\*\*(?:error|throw|exit):\{?(?P<type>\w+).*)
  skip     in (?:function|call).*| {5}%% .*
  stop     \s*[Oo]utput:.*|\s*
  sign     ^ {2}(?:All \d{1,9} tests|Test|\d{1,9} tests?) passed\.
  sign     ^ {2}Failed: \d{1,9}\. {2}Skipped: \d{1,9}\. {2}Passed: \d{1,9}\.
  sign     ^={20,} EUnit =
  sign     ^[ a-z]\S{0,200}: ?\S.{0,200}\.\.\.(?:\[[\d.]+ s\] )?\*(?:failed|timed out|skipped)\*
  sign     ^===> (?:Performing EUnit|Verifying)
  sign     ^ {5}%% [^\s:]{1,300}\.erl:\d{1,9}:in␣
  sign     ^Finished in [\d.]+ seconds$
  sign     ^\d{1,9} tests, \d{1,9} failures
  sign     ^ {2}There were no tests to run\.
  sign     ^in function [a-z]\w*:\w+/\d{1,9} \(
  begins   ={20,} EUnit =|===> Performing EUnit tests\.{3}$(?!\n={20,} EUnit =)
  ends     ␣{2}(?:All \d{1,9} tests|\d{1,9} tests?|Test) passed\.|  Failed: \d{1,9}\.
            |\d{1,9} tests?, \d{1,9} failures?\b|  There were no tests to run\.
  broken   ===> (?:Compiling \S+ failed|Error running tests)|SIGTERM received - shutting down$
  apart    {ERLANG}
  dies     {SIGNALLED}
erlang CommonTestReader weight=3 first=yes common-test
  words    ct_run  |  rebar3 ct
  total    .*?TEST COMPLETE, (?P<passed>\d{1,9}) ok, (?P<failed>\d{1,9}) failed(?:, (?P<skipped>\d{1,9}) skipped)?
           (?: of \d{1,9} test cases?)?.*
  total    Failed (?P<failed>\d{1,9}) tests?\.(?: Skipped (?P<skipped>\d{1,9}) \([^)]*\) tests?\.)?␣
           Passed (?P<passed>\d{1,9}) tests?\..*
  total    All (?P<passed>\d{1,9}) tests passed\.
  work     Testing .*Starting test.*|===> Running Common Test.*
  case     %%% (?P<suite>\w+) ==> (?P<name>[\w.]+): FAILED
  case     %%% (?P<suite>\w+): FAILED
  case     (?P<suite>(?P<file>\w+_SUITE)):(?P<name>\w+) failed(?: on line (?P<line>\d{1,9}))?
  reason   %%% .*? ==> (?P<message>.*)
  stop     - - -.*
  sign     TEST COMPLETE, \d{1,9} ok, \d{1,9} failed
  sign     ^Testing \S.{0,200}: Starting test
  sign     ^===> Running Common Test
  sign     ^%%% \w+(?: ==> \S+)?: FAILED$
  sign     ^Failed \d{1,9} tests?\..{0,60} Passed \d{1,9} tests?\.
  broken   ===> (?:Compiling \S+ failed|Error running tests)
  apart    {ERLANG}
elixir RuledReader weight=2 exunit
  words    mix  |  exunit
  section  Finished in .*
  end      (?:(?P<total>\d{1,9}) doctests?, )?(?:(?P<total2>\d{1,9}) propert(?:y|ies), )?
           (?:(?P<total3>\d{1,9}) features?, )?(?:(?P<total4>\d{1,9}) tests?, )?(?P<failed>\d{1,9}) failures?
           (?:, (?:(?P<skipped>\d{1,9}) excluded|(?P<errors>\d{1,9}) invalid|(?P<skipped2>\d{1,9}) skipped))*
  total    There are no tests to run.*
  work     Running ExUnit with seed.*|[.*?]+
  case     ␣{0,3}\d{1,9}\) (?P<name>(?:test|doctest|property|feature) .+?) \((?P<suite>[\w.]+)\)
  case     ␣{0,3}\d{1,9}\) (?P<name>(?P<suite>[\w.]+): failure on setup_all callback, .*)
  unread   \*\* \((?P<type>Mix(?:\.\w+)*|UndefinedFunctionError|ArgumentError|Code\.LoadError)\) (?P<message>.*)
  place    ␣{5}(?P<file>\S+\.exs?):(?P<line>\d{1,9})
  test     ␣{7}(?!.*__ex_unit__/)(?:\([\w .-]+\) )?(?P<frame>(?P<file>\S+\.exs):(?P<line>\d{1,9})): .*
  reason   ␣{7}(?:\([\w .-]+\) )?(?P<frame>\S+\.exs?:\d{1,9}): .*
  reason   ␣{5}\*\* \((?P<type>[\w.]+)\) (?P<message>.*)
  skip     (?! {5}).*| {7}\(.*|\s*stacktrace:
  sign     ^(?:\d{1,9} (?:doctests?|property|properties), )*\d{1,9} tests?, \d{1,9} failures?\b(?!, \d{1,9}
            error)
  sign     ^Finished in [\d.]+ seconds(?: \([\d.]+s (?:on load|async))?
  sign     ^Running ExUnit with seed
  sign     ^Randomized with seed \d{1,9}$
  sign     ^ {0,3}\d{1,9}\) (?:test|doctest|property) .{1,300} \([\w.]+\)$
  sign     ^== Compilation error in file␣
  sign     ^\*\* \((?:Mix|CompileError|SyntaxError|TokenMissingError)\)?
  begins   Running ExUnit with seed
  ends     (?:\d{1,9} (?:doctests?|property|properties|features?|tests?), )+\d{1,9} failures?\b
           |There are no tests to run
  apart    == Compilation error in file .{1,300} ==$|\*\* \((?:Mix|Mix\.Error|CompileError|SyntaxError
           |TokenMissingError|MismatchedDelimiterError|Code\.LoadError)\)␣
""",
    CommonTestReader,
)
