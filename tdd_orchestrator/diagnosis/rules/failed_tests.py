"""Assertions, fixtures and runners."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family assertion routing=runtime-error error=test category=LOGIC severity=MEDIUM weight=70 asserts=yes
family runner assertion routing=unknown category=SEMANTIC weight=75
assertion test-timeout error=timeout category=TRANSIENT weight=83
  words    Timeout (>  |  Timeout >  |  Exceeded timeout of  |  Test timed out in  |  Test timeout of
             |  Timeout of␣  |  Hook timed out in  |  panic: test timed out  |  test timed out
             |  exceeded the timeout  |  timed out after  |  Test execution timed out  |  timed-out
             |  timed out waiting for  |  because no message in␣
  pattern  because no message in \d+ ms|Timeout \(?>|Exceeded timeout of|(?:Test|Hook) timed out in
           |Test timeout of|Timeout of \d+ms exceeded|test timed out after|exceeded the timeout of
           |timed out after \d+ ?(?:ms|milliseconds|s\b|seconds)|execution timed out
  sample   E       Failed: Timeout (>1.0s) from pytest-timeout.\n\ntests/test_app.py:5: Failed
  sample     ● slow\n\n    thrown: "Exceeded timeout of 5000 ms for a test.\n\n
                 at Object.test (src/a.test.js:1:1)\n\nTests: 1 failed
assertion assertion zone=thrown
  words    AssertionError  |  assert␣  |  expect(  |  AssertionFailedError  |  ComparisonFailure
             |  Assertion  |  Failed:␣  |  Failed  |  ExpectationFailed  |  Snapshot  |  expected
             |  DID NOT RAISE  |  AssertionException  |  ExpectationNotMet  |  opentest4j
             |  MultipleFailuresError  |  assertion␣
  pattern  ^(?:[\w.]*AssertionError\b|assert |(?:Error: )?expect\(|[\w.]*AssertionFailedError
           |[\w.]*ComparisonFailure|(?:ERR_)?Assertion\b|(?:_pytest\.outcomes\.)?Failed\b|Snapshot
           |DID NOT RAISE|[\w.]*ExpectationFailed|\w+\.\w+\.opentest4j|org\.opentest4j
           |[\w.$]*MultipleFailures|panic: assertion|assertion (?:`|failed)|expected .{1,200} to
            |Error: (?:Snapshot|expected))
  sample   E       assert 0 == 4\nE        +  where 0 = add(2, 2)\n\ntests/test_app.py:5: AssertionError
  sample   Traceback (most recent call last):\n  File "/repo/tests/test_app.py", line 5, in test_x\n    x()\n
           AssertionError: 0 != 4
  sample   thread 'tests::adds' panicked at src/lib.rs:8:9:\nassertion `left == right` failed\n  left: 0\n
            right: 4
assertion go-test weight=52
  words    --- FAIL:␣  |  _test.go:
  pattern  ^\s*--- FAIL: |_test\.go:\d+:␣
  sample   --- FAIL: TestAdd (0.00s)\n    app_test.go:6: got 0, want 4\nFAIL
assertion tests-of-a-build-tool weight=49 zone=free
  words    There were failing tests  |  There are test failures  |  Execution failed for task ':
             |  failed tests
  pattern  There (?:were failing tests|are test failures)|Execution failed for task '[:\w-]*[tT]est'
           |^\[error\] Failed tests:
  sample   Execution failed for task ':test'.\n> There were failing tests. See the report at:
            file:///repo/build/reports/tests/test/index.html
assertion other-runners weight=46 zone=free
  words    Failure/Error:  |  Failure:  |  Failed asserting  |  Assertion with  |  FAILED (failures=
             |  not ok␣  |  failures:  |  There was 1 failure  |  Tests run:  |  # Failed test
             |  FAILED:  |  failed!  |  Assertion failed  |  EXPECT_  |  Expected equality of
             |  REQUIRE(  |  CHECK(  |  FAIL:  |  match (assert)  |  Test Failed  |  test result: FAILED
             |  tests failed  |  Wanted but not invoked  |  Argument(s) are different  |  But was␣
             |  Unnecessary stubbings
  pattern  ^Wanted but not invoked:|^Argument\(s\) are different!|^But was \d+ times?
           |Unnecessary stubbings detected|Failure/Error:|^\s*(?:\d+\) )?Failure:$|Failed asserting
           |Assertion with .* failed|^FAILED \(failures=|^\s*not ok \d+ (?!.*# (?:TODO|SKIP))|There (?:was
           |were) \d+ failures?|Tests run: \d+, Failures: [1-9]|#   Failed test|: Failure$
           |Expected equality of|(?:REQUIRE|CHECK)\(.*\)|match \(assert\)|FAIL: test_|^test result: FAILED
           |^\s*Expected equality|\d+ tests? failed out of|: FAILED$
  sample   not ok 1 - adds\n  ---\n  expected: 4
  sample   There was 1 failure:\n\n1) CartTest::testTotal\nFailed asserting that 3 matches expected 4.\n\n
           /repo/tests/CartTest.php:8
assertion counted-failures weight=31 zone=free
  words    ␣failed  |  ␣failing  |  ␣failures  |  Failing scenarios:  |  ASSERT FAILED
  pattern  \b\d+ (?:\w+ )?passed,? .{0,20}\b[1-9]\d* (?:\w+ )?failed|\b[1-9]\d* (?:tests?|specs?|scenarios?
           |examples?|features?|suites?|assertions?|checks?|of \d+ tests?) failed\b|^\s*[1-9]\d* failing$
           |\b\d+ (?:tests?|examples?|specs?|runs?), (?:\d+ assertions, )?[1-9]\d* failures?\b
           |^Failing scenarios:$|^\s+ASSERT FAILED
  sample   Failing scenarios:\n  features/a.feature:2  b\n\n0 features passed, 1 failed, 0 skipped
  sample   12 tests passed, 2 tests failed
runner undefined-step weight=32 zone=free
  words    step definitions for undefined steps  |  Undefined. Implement  |  ␣undefined step
             |  Undefined step  |  UndefinedStepException  |  [1-9] undefined  |  ␣undefined
  pattern  step definitions for undefined steps|Undefined\. Implement|[1-9]\d* undefined\b|Undefined step
           |UndefinedStep
  sample   0 steps passed, 0 failed, 0 skipped, 1 undefined\n\n
           You can implement step definitions for undefined steps with these snippets:
runner pytest-fixture weight=84
  words    fixture '  |  ScopeMismatch  |  recursive dependency involving fixture
             |  did not yield a value  |  Fixture "  |  Fixtures are not meant to be called directly
             |  called directly
  pattern  fixture '[^']+' not found|ScopeMismatch|recursive dependency involving fixture
           |did not yield a value|Fixtures? .{1,100}called directly|duplicate parametrization
           |uses no (?:argument|fixture)
  sample   E       fixture 'db' not found\n>       available fixtures: cache\n
  sample   ScopeMismatch: You tried to access the function scoped fixture user with a session scoped request
            object.
runner pytest-usage weight=71
  words    pytest: error:  |  ERROR: usage:  |  file or directory not found  |  ERROR: not found:
             |  no tests ran  |  collected 0 items  |  unrecognized arguments  |  ImportPathMismatchError
             |  import file mismatch  |  not found in `markers`  |  Unknown config option
             |  uses no argument  |  duplicate␣  |  in "parametrize" the  |  INTERNALERROR
  pattern  pytest: error:|ERROR: usage:|^ERROR: (?:file or directory )?not found|^(?:=* ?)?no tests ran
           |unrecognized arguments|import file mismatch|not found in `markers`|Unknown config option
           |uses no argument|duplicate |parametrize\" the|^INTERNALERROR>
  needs    pytest  |  no tests ran  |  ERROR  |  markers  |  parametrize  |  import file
  sample   ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --reruns-only
  sample   ERROR: file or directory not found: tests/nope.py\n\nno tests ran in 0.00s
runner js-runner weight=78
  words    No tests found  |  No test files found  |  Your test suite must contain at least one test
             |  No test suite found  |  Error: Cannot find any  |  No specs found  |  Preset␣
             |  Validation Error  |  Error: no test specified  |  Error: No test files
             |  Test environment␣  |  Multiple configs found  |  nothing was returned from
             |  did not call␣  |  Can't find a root
  pattern  No tests? (?:files? )?found|must contain at least one test|No test suite found|No specs found
           |Preset .* not found|Validation Error|no test specified|Error: No test files
           |Test environment \S+ cannot be found|Multiple configs found|Can't find a root
  sample   No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0
runner other-runner-empty weight=40
  words    no tests to run  |  NO TESTS RAN  |  No tests were executed  |  no test files  |  Ran 0 tests
             |  No tests executed  |  No tests were found
  pattern  no tests? to run|NO TESTS RAN|No tests (?:were )?(?:executed|found)|Ran 0 tests
  sample   Ran 0 tests in 0.000s\n\nNO TESTS RAN
"""
)
