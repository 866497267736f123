"""Rules for languages and runners whose failures have no stack that the readers know."""

from __future__ import annotations

from functools import partial

from tdd_orchestrator.diagnosis.rules.row import Rule, Zone
from tdd_orchestrator.model.diagnosis import Category, ErrorType, RoutingType, Severity

_row = partial(
    Rule,
    routing=RoutingType.RUNTIME,
    error=ErrorType.LOGIC,
    category=Category.LOGIC,
    severity=Severity.MEDIUM,
    weight=53,
    zone=Zone.FREE,
)
_assertion = partial(_row, error=ErrorType.TEST, weight=54, asserts=True)
_build = partial(
    _row, routing=RoutingType.BUILD, error=ErrorType.BUILD, category=Category.SEMANTIC, weight=62
)
_type = partial(_build, error=ErrorType.TYPE, weight=67)

# fmt: off
RULES = (
    _type(
        "typed-languages",
        words=("type mismatch", "Type mismatch", "type error", "Type error", "cannot convert",
            "Couldn't match", "Couldn’t match", "can't be assigned", "expected type", "No instance for",
            "incompatible type", "has type", "was expected of type", "is not a subtype", "has no member",
            "has no value or constructor", "is not a member of", "does not conform to", "mismatched types",
            "isn't defined for the type", "argument type"),
        pattern=r"\.(?:swift|zig|dart|kt|kts|scala|nim|cr|hs|elm|gleam|jl|v|d"
            r"|fs)\b.{0,40}?[:(]\d+.{0,60}(?:[Tt]ype mismatch|cannot convert|can't be assigned"
            "|expected type|incompatible type|has no member|is not a member of|does not conform to"
            "|mismatched types|isn't defined for the type|[Aa]rgument type)"
        r"|^\s*(?:• |\[error\] ?)?Couldn[’']t match (?:expected )?(?:type|kind)|^\s*• No instance for"
            r"|^Error: (?:This expression has type|The value .* has type)|^\[error\] .*(?:type mismatch"
            r"|Type Mismatch)|was expected of type|^-- \[E007\]|^-- TYPE MISMATCH",
        zone=Zone.ANY,
        samples=(
            (
                "src/main.zig:5:20: error: expected type 'i32', found '*const [1:0]u8'\n"
                "    const n: i32 = \"a\";"
            ),
            (
                "src/Cart.hs:7:9: error: [GHC-83865]\n    • Couldn't match type ‘[Char]’ with ‘Int’\n"
                "      Expected: Int"
            ),
            (
                "[error] /repo/src/main/scala/Cart.scala:5:18: type mismatch;\n"
                "[error]  found   : String(\"a\")\n[error]  required: Int"
            ),
        ),
    ),
    _build(
        "gradle-script",
        words=("Build failed with an exception", "A problem occurred", "Could not compile build file",
            "Could not compile settings file"),
        weight=47,
        samples=((
            "FAILURE: Build failed with an exception.\n\n* What went wrong:\n"
            "A problem occurred evaluating root project 'shop'.\n> Could not find method implmentation()"
        ),),
    ),
    _build(
        "more-compilers",
        words=(": error", ": Error", "Error: ", "error: ", "-- ", ".proto:"),
        pattern=(
            r"\.(?:elm|gleam|adb|ads|pas|vhd|sv|sol|proto|thrift|wat|idr|agda|lean|roc|odin|nim|cr|v|d|sc"
            r"|cairo|move|bicep|tf)[:(]\d+[:,]\d+[:)]* ?:? ?(?:[Ff]atal )?[Ee]rror|^\S+\.proto:\d+:\d+: "
            r"|^-- [A-Z][A-Z ]{4,40} -{4,}|^\s*(?:┌─|╭─|--> )\S+\.(?:gleam|sol|cairo|move):\d+"
        ),
        samples=("src/Cart.sol:9:4: Error: Undeclared identifier.",),
    ),
    _build(
        "stylesheets",
        words=(".scss ", ".sass ", "CssSyntaxError", ".less", "ParseError: ", "NameError: "),
        pattern=(
            r"^\s+\S+\.s[ac]ss \d+:\d+\b|^CssSyntaxError: |^(?:Parse|Name"
            r"|Syntax)Error: .{1,300} in \S+\.less on line \d+"
        ),
        zone=Zone.ANY,
        samples=((
            "Error: expected \"{\".\n  ╷\n4 │ .cart;\n  │      ^\n"
            "  ╵\n  src/app.scss 4:6  root stylesheet"
        ),),
    ),
    _row(
        "swift-crash",
        words=("Fatal error: ", "Fatal error", "Precondition failed", "Assertion failed"),
        pattern=r"\.swift:\d+: (?:Fatal error|Precondition failed|Assertion failed)",
        zone=Zone.ANY,
        samples=("Shop/Cart.swift:9: Fatal error: Unexpectedly found nil while unwrapping an Optional value",
            ),
    ),
    _row(
        "functional-crash",
        words=("CallStack (from HasCallStack)", "Prelude.", "Non-exhaustive patterns",
            "Fatal error: exception", "Exception: ", "*** Exception", "Unhandled exception:",
            "Unhandled exception at", "unhandled exception:", "exception error:", "Execution error (",
            "Syntax error compiling at"),
        pattern=(
            r"^CallStack \(from HasCallStack\)|Prelude\.\w+: |Non-exhaustive (?:patterns|guards)"
            r"|^Fatal error: exception |^\*\*\* Exception|[Uu]nhandled exception(?:: | at )"
            r"|^Unhandled exception:$|^\*\* exception error:|^Execution error \(|^Syntax error compiling at"
        ),
        samples=((
            "shop: Prelude.head: empty list\nCallStack (from HasCallStack):\n"
            "  error, called at libraries/base/GHC/List.hs:1646:3 in base:GHC.List"
        ), (
            "Fatal error: exception Not_found\nCalled from Cart.total in file \"src/cart.ml\", line 9, "
            "characters 4-20"
        ), (
            "Unhandled exception:\nRangeError (index): Invalid value: Not in inclusive range 0..2: 5\n"
            "#0      List.[] (dart:core-patch/growable_array.dart:264:36)"
        )),
    ),
    _row(
        "numeric-languages-crash",
        words=("ERROR: LoadError", "ERROR: ", "Error in ", "Execution halted", "error: ", "Stacktrace:",
            "LoadError"),
        pattern=(
            r"^ERROR: (?:LoadError: )?\w+(?:Error|Exception)\b|^Error in .{1,200} : ?|^Execution halted$"
            "|^error: '.{1,100}' undefined$|^error: (?:index|out of bound|nonconformant|called from)"
        ),
        weight=41,
        samples=((
            "ERROR: LoadError: BoundsError: attempt to access 3-element Vector{Int64} at index [4]\n"
            "Stacktrace:"
        ), "Error in total(cart) : object 'cart' not found\nExecution halted"),
    ),
    _row(
        "process-crash",
        words=("thread ", "Unhandled Exception", "Process finished with exit code 139", "Trace/BPT trap",
            "uncaught exception", "An unhandled error", "unhandled error", "crashed with signal"),
        pattern=(
            r"^thread \d+ panic: |^Unhandled Exception: |Process finished with exit code 139"
            r"|^Trace/BPT trap|uncaught exception of type|crashed with signal \d+|An unhandled (?:error"
            "|exception) occurred"
        ),
        samples=((
            "thread 4711 panic: index out of bounds: index 3, len 3\n"
            "/repo/src/main.zig:7:20: 0x1034 in main (shop)"
        ),),
    ),
    _assertion(
        "dotnet-test",
        words=("Assert.", "Error Message:", "Shouldly.", "Expected ", "  Failed "),
        pattern=(
            r"\bAssert\.\w+\(\) Failure|^\s*Assert\.\w+ failed\.|^\s+Expected: .{1,200}$"
            r"|^\s*Error Message:$|^\s+Failed \S.{1,200} \[[\d< ]+(?:ms|s|m)\]|^Expected .{1,200} to (?:be"
            r"|contain|have)\b.{0,200}, but "
        ),
        needs=(".cs:line", "Assert.", "Error Message:", ".fs:line", ".vb:line"),
        samples=((
            "  Failed Shop.Tests.CartTests.Total [12 ms]\n  Error Message:\n"
            "   Assert.Equal() Failure: Values differ\nExpected: 12\nActual:   0"
        ),),
    ),
    _assertion(
        "expected-actual",
        words=("Expected:", "expected:", "xpected ", "Expected ", "expected ", "XCTAssert",
            "Expectation failed", "but got: ", "error: expect(", "error: Assertion"),
        pattern=(
            r"^\s*Expected: <.*>$|XCTAssert\w* failed|: error: .{1,200} : XCT|Expectation failed: "
            r"|^\s+but got: |^error: (?:expect\(|Assertion)|^[Ee]xpected .{1,200} to (?:not )?(?:deeply "
            r"|strictly )?(?:equal|eql|be|include|match|contain|have)\b"
            r"|^\s+[Ee]xpected:? .{1,200}(?:but got|, got|but was|to (?:equal|eql|be|include|match"
            r"|contain))\b"
        ),
        weight=44,
        zone=Zone.ANY,
        samples=((
            "00:01 +0 -1: cart total [E]\n  Expected: <12>\n    Actual: <0>\n\n  package:matcher  expect\n"
            "  test/cart_test.dart 7:5  main.<fn>"
        ), (
            "/repo/Tests/CartTests.swift:9: error: -[ShopTests.CartTests testTotal] : XCTAssertEqual "
            "failed: (\"0\") is not equal to (\"12\")"
        )),
    ),
    _assertion(
        "spec-runners",
        words=("FAILED", "Failure", "Failures:", "✗ ", "✘", "[-] ", "not ok", "FAIL in (", "*** FAILED ***",
            "Test Failed at", "[FAIL]", "FAILURE", "Assertion", "!!! ", "| FAIL |"),
        pattern=(
            r"\*\*\* FAILED \*\*\*|^FAIL in \(|Test Failed at |^\s*\[-\] .{1,200} \d+(?:ms|s)|^ ✗ "
            r"|^\(in test file |\| FAIL \||^\s*✘ \[fail\]: |^── (?:Failure|Error) \("
            r"|\(\d+:\d+\)\]?: FAILURE|^\S+\.hs:\d+: Failure:$|^\s+\d+\) .{1,200} FAILED"
            "|^Assertion .{0,200}failed"
        ),
        weight=45,
        samples=("CartTest:\n- total *** FAILED ***\n  0 did not equal 12 (CartTest.scala:9)",
            (
                " ✗ adds a book\n   (in test file test/cart.bats, line 7)\n"
                "     `[ \"$output\" = \"12\" ]' failed"
            )),
    ),
    _assertion(
        "runner-timeout",
        words=("was aborted after", "did not complete within", "exceeded timeout", "Test exceeded",
            "timed out after", "Asynchronous wait failed", "exceeded the time limit", "took longer than",
            "Async function did not complete", "did not finish within", "timed out ("),
        pattern=(
            r"test was aborted after \d+ second|did not (?:complete|finish) within"
            "|[Tt]est '?.{0,120} exceeded (?:execution )?timeout"
            "|Asynchronous wait failed: Exceeded timeout|[Tt]est .{0,120}took longer than"
            r"|Async function did not complete|timed out \(\d+(?:\.\d+)? ?m?s\)"
        ),
        error=ErrorType.TIMEOUT,
        category=Category.TRANSIENT,
        weight=83,
        zone=Zone.ANY,
        samples=("1) CartTest::testWaits\nThis test was aborted after 1 second\n\n/repo/tests/CartTest.php:9",
            ),
    ),
)
# fmt: on
