"""Languages and runners whose failures have no stack that the readers know; then any by the form of its output."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family row routing=runtime-error error=logic category=LOGIC severity=MEDIUM weight=53 zone=free
family assertion row error=test weight=54 asserts=yes
family build row routing=build-error error=build category=SEMANTIC weight=62
family type build error=type weight=67
type typed-languages zone=any
  words    type mismatch  |  Type mismatch  |  type error  |  Type error  |  cannot convert
             |  Couldn't match  |  Couldn’t match  |  can't be assigned  |  expected type
             |  No instance for  |  incompatible type  |  has type  |  was expected of type
             |  is not a subtype  |  has no member  |  has no value or constructor  |  is not a member of
             |  does not conform to  |  mismatched types  |  isn't defined for the type  |  argument type
  pattern  \.(?:swift|zig|dart|kt|kts|scala|nim|cr|hs|elm|gleam|jl|v|d
           |fs)\b.{0,40}?[:(]\d+.{0,60}(?:[Tt]ype mismatch|cannot convert|can't be assigned|expected type
           |incompatible type|has no member|is not a member of|does not conform to|mismatched types
           |isn't defined for the type|[Aa]rgument type)|^\s*(?:•
            |\[error\] ?)?Couldn[’']t match (?:expected )?(?:type|kind)|^\s*• No instance for
           |^Error: (?:This expression has type|The value .* has type)|^\[error\] .*(?:type mismatch
           |Type Mismatch)|was expected of type|^-- \[E007\]|^-- TYPE MISMATCH
  sample   src/main.zig:5:20: error: expected type 'i32', found '*const [1:0]u8'\n    const n: i32 = "a";
  sample   src/Cart.hs:7:9: error: [GHC-83865]\n    • Couldn't match type ‘[Char]’ with ‘Int’\n
                 Expected: Int
  sample   [error] /repo/src/main/scala/Cart.scala:5:18: type mismatch;\n[error]  found   : String("a")\n
           [error]  required: Int
build gradle-script weight=47
  words    Build failed with an exception  |  A problem occurred  |  Could not compile build file
             |  Could not compile settings file
  sample   FAILURE: Build failed with an exception.\n\n* What went wrong:\n
           A problem occurred evaluating root project 'shop'.\n> Could not find method implmentation()
build more-compilers
  words    : error  |  : Error  |  Error:␣  |  error:␣  |  --␣  |  .proto:
  pattern  \.(?:elm|gleam|adb|ads|pas|vhd|sv|sol|proto|thrift|wat|idr|agda|lean|roc|odin|nim|cr|v|d|sc|cairo
           |move|bicep|tf)[:(]\d+[:,]\d+[:)]* ?:? ?(?:[Ff]atal )?[Ee]rror|^\S+\.proto:\d+:\d+:
            |^-- [A-Z][A-Z ]{4,40} -{4,}|^\s*(?:┌─|╭─|--> )\S+\.(?:gleam|sol|cairo|move):\d+
  sample   src/Cart.sol:9:4: Error: Undeclared identifier.
build stylesheets zone=any
  words    .scss␣  |  .sass␣  |  CssSyntaxError  |  .less  |  ParseError:␣  |  NameError:␣
  pattern  ^\s+\S+\.s[ac]ss \d+:\d+\b|^CssSyntaxError: |^(?:Parse|Name
           |Syntax)Error: .{1,300} in \S+\.less on line \d+
  sample   Error: expected "{".\n  ╷\n4 │ .cart;\n  │      ^\n  ╵\n  src/app.scss 4:6  root stylesheet
row swift-crash zone=any
  words    Fatal error:␣  |  Fatal error  |  Precondition failed  |  Assertion failed
  pattern  \.swift:\d+: (?:Fatal error|Precondition failed|Assertion failed)
  sample   Shop/Cart.swift:9: Fatal error: Unexpectedly found nil while unwrapping an Optional value
row functional-crash
  words    CallStack (from HasCallStack)  |  Prelude.  |  Non-exhaustive patterns
             |  Fatal error: exception  |  Exception:␣  |  *** Exception  |  Unhandled exception:
             |  Unhandled exception at  |  unhandled exception:  |  exception error:
             |  Execution error (  |  Syntax error compiling at
  pattern  ^CallStack \(from HasCallStack\)|Prelude\.\w+: |Non-exhaustive (?:patterns|guards)
           |^Fatal error: exception |^\*\*\* Exception|[Uu]nhandled exception(?:: | at )
           |^Unhandled exception:$|^\*\* exception error:|^Execution error \(|^Syntax error compiling at
  sample   shop: Prelude.head: empty list\nCallStack (from HasCallStack):\n
             error, called at libraries/base/GHC/List.hs:1646:3 in base:GHC.List
  sample   Fatal error: exception Not_found\nCalled from Cart.total in file "src/cart.ml", line 9, characters
            4-20
  sample   Unhandled exception:\nRangeError (index): Invalid value: Not in inclusive range 0..2: 5\n
           #0      List.[] (dart:core-patch/growable_array.dart:264:36)
row numeric-languages-crash weight=41
  words    ERROR: LoadError  |  ERROR:␣  |  Error in␣  |  Execution halted  |  error:␣  |  Stacktrace:
             |  LoadError
  pattern  ^ERROR: (?:LoadError: )?\w+(?:Error|Exception)\b|^Error in .{1,200} : ?|^Execution halted$
           |^error: '.{1,100}' undefined$|^error: (?:index|out of bound|nonconformant|called from)
  sample   ERROR: LoadError: BoundsError: attempt to access 3-element Vector{Int64} at index [4]\nStacktrace:
  sample   Error in total(cart) : object 'cart' not found\nExecution halted
row process-crash
  words    thread␣  |  Unhandled Exception  |  Process finished with exit code 139  |  Trace/BPT trap
             |  uncaught exception  |  An unhandled error  |  unhandled error  |  crashed with signal
  pattern  ^thread \d+ panic: |^Unhandled Exception: |Process finished with exit code 139|^Trace/BPT trap
           |uncaught exception of type|crashed with signal \d+|An unhandled (?:error|exception) occurred
  sample   thread 4711 panic: index out of bounds: index 3, len 3\n
           /repo/src/main.zig:7:20: 0x1034 in main (shop)
assertion dotnet-test
  words    Assert.  |  Error Message:  |  Shouldly.  |  Expected␣  |  ␣ Failed␣
  pattern  \bAssert\.\w+\(\) Failure|^\s*Assert\.\w+ failed\.|^\s+Expected: .{1,200}$|^\s*Error Message:$
           |^\s+Failed \S.{1,200} \[[\d< ]+(?:ms|s|m)\]|^Expected .{1,200} to (?:be|contain
           |have)\b.{0,200}, but␣
  needs    .cs:line  |  Assert.  |  Error Message:  |  .fs:line  |  .vb:line
  sample     Failed Shop.Tests.CartTests.Total [12 ms]\n  Error Message:\n
              Assert.Equal() Failure: Values differ\nExpected: 12\nActual:   0
assertion expected-actual weight=44 zone=any
  words    Expected:  |  expected:  |  xpected␣  |  Expected␣  |  expected␣  |  XCTAssert
             |  Expectation failed  |  but got:␣  |  error: expect(  |  error: Assertion
  pattern  ^\s*Expected: <.*>$|XCTAssert\w* failed|: error: .{1,200} : XCT|Expectation failed: |^\s+but got:
            |^error: (?:expect\(|Assertion)|^[Ee]xpected .{1,200} to (?:not )?(?:deeply |strictly )?(?:equal
           |eql|be|include|match|contain|have)\b|^\s+[Ee]xpected:? .{1,200}(?:but got|, got|but was
           |to (?:equal|eql|be|include|match|contain))\b
  sample   00:01 +0 -1: cart total [E]\n  Expected: <12>\n    Actual: <0>\n\n  package:matcher  expect\n
             test/cart_test.dart 7:5  main.<fn>
  sample   /repo/Tests/CartTests.swift:9: error: -[ShopTests.CartTests testTotal] : XCTAssertEqual failed:
            ("0") is not equal to ("12")
assertion spec-runners weight=45
  words    FAILED  |  Failure  |  Failures:  |  ✗␣  |  ✘  |  [-]␣  |  not ok  |  FAIL in (
             |  *** FAILED ***  |  Test Failed at  |  [FAIL]  |  FAILURE  |  Assertion  |  !!!␣  |  | FAIL |
  pattern  \*\*\* FAILED \*\*\*|^FAIL in \(|Test Failed at |^\s*\[-\] .{1,200} \d+(?:ms|s)|^ ✗
            |^\(in test file |\| FAIL \||^\s*✘ \[fail\]: |^── (?:Failure|Error) \(|\(\d+:\d+\)\]?: FAILURE
           |^\S+\.hs:\d+: Failure:$|^\s+\d+\) .{1,200} FAILED|^Assertion .{0,200}failed
  sample   CartTest:\n- total *** FAILED ***\n  0 did not equal 12 (CartTest.scala:9)
  sample    ✗ adds a book\n   (in test file test/cart.bats, line 7)\n     `[ "$output" = "12" ]' failed
assertion runner-timeout error=timeout category=TRANSIENT weight=83 zone=any
  words    was aborted after  |  did not complete within  |  exceeded timeout  |  Test exceeded
             |  timed out after  |  Asynchronous wait failed  |  exceeded the time limit
             |  took longer than  |  Async function did not complete  |  did not finish within  |  timed out (
  pattern  test was aborted after \d+ second|did not (?:complete|finish) within
           |[Tt]est '?.{0,120} exceeded (?:execution )?timeout|Asynchronous wait failed: Exceeded timeout
           |[Tt]est .{0,120}took longer than|Async function did not complete|timed out \(\d+(?:\.\d+)? ?m?s\)
  sample   1) CartTest::testWaits\nThis test was aborted after 1 second\n\n/repo/tests/CartTest.php:9
"""
)

RULES += rules(
    r"""
family build routing=build-error error=build category=SEMANTIC severity=MEDIUM weight=63 zone=free
family syntax build error=syntax severity=LOW
family crash routing=runtime-error error=logic category=LOGIC severity=MEDIUM weight=53 zone=free
syntax any-compiler-syntax weight=64
  words    rror:␣  |  rror␣
  pattern  ^(?:\w+: )?\S{1,200}?\.\w{1,9}(?::\d+(?:[.:]\d+)?(?:-\d+(?:\.\d+)?)?
           |\(\d+(?:,\d+)?\))(?: ?:)? (?:[Ff]atal )?(?:[Ee]rror|ERROR)\b:? .*(?:missing [\"'‘`]?[;,:)\]}]
           |\b[Ss]yntax [Ee]rror|[Pp]arse error|\b[Uu]nexpected\b|[Uu]nterminated
           |\bexpected [\"'‘`]?[;:,(){}\[\]])
  sample   main.adb:2:20: error: missing ";"
  sample   main.pas(4,1) Fatal: Syntax error, ";" expected but "END" found\nmain.pas(4,2) Error: Syntax error
build any-compiler-type error=type weight=64
  words    rror:␣  |  rror␣
  pattern  ^(?:\w+: )?\S{1,200}?\.\w{1,9}(?::\d+(?:[.:]\d+)?(?:-\d+(?:\.\d+)?)?
           |\(\d+(?:,\d+)?\))(?: ?:)? (?:[Ff]atal )?(?:[Ee]rror|ERROR)\b:? .*(?:[Ii]ncompatible types?\b
           |[Tt]ype mismatch|[Cc]annot (?:implicitly )?convert|expected type|mismatched types|[Ww]rong type)
  sample   app.d(2): Error: cannot implicitly convert expression `"x"` of type `string` to `int`
  sample   main.pas(4,8) Error: Incompatible types: got "Char" expected "SmallInt"
build any-compiler weight=43
  words    rror:␣  |  rror␣
  pattern  ^(?:\w+: )?\S{1,200}?\.\w{1,9}(?::\d+(?:[.:]\d+)?(?:-\d+(?:\.\d+)?)?
           |\(\d+(?:,\d+)?\))(?: ?:)? (?:[Ff]atal )?(?:[Ee]rror|ERROR)\b:?␣
  sample   app.d(2): Error: undefined identifier `totl`
  sample   app.vala:2.3-2.6: error: The name `totl' does not exist in the context of `main'
build missing-module-of-a-compiler error=dependency category=DEPENDENCY weight=75
  words    Could not find module  |  cannot find module  |  Unbound module  |  can't find file:␣
             |  Can't find unit␣  |  open source file  |  could not load unit  |  import file not found
             |  collection not found  |  can't find package␣  |  no such module '  |  is in file `
             |  cannot open file:␣
  pattern  ^\s*Could not find module [‘'`]|^Error: Unbound module |can't find file: |error: no such module '
           |: collection not found$|^can't find package |Can't find unit |Cannot open module file
           |\.nims?\(\d+, \d+\) Error: cannot open file: |is in file `[^`]+' which cannot be read
           |:\d+: error: file \"[^\"]+\" not found$
  sample   App.hs:1:1: error:\n    Could not find module ‘Data.Rates’\n    Perhaps you meant\n
                 Data.Ratio (from base-4.15.1.0)
build fortran
  words    Error:␣
  pattern  ^(?:Fatal )?Error: .{1,300} at \(\d\)
  sample   src/main.f90:3:3:\n\n    3 |   x = 1\n      |   1\nError: Symbol ‘x’ at (1) has no IMPLICIT type
syntax erlang-and-prolog-syntax weight=73 zone=any
  words    syntax error before:␣  |  Syntax error:␣  |  parse error near  |  unexpected symbol in
             |  unexpected end of input  |  unexpected '  |  unexpected string constant
             |  unexpected numeric constant  |  while looking for matching  |  ^ syntax error
             |  near <eof>  |  missing close-brace  |  expected a `  |  read-syntax:␣  |  bad syntax
             |  end of file during parsing  |  Unexpected end of file in␣
  pattern  \.(?:erl|hrl|escript):\d+(?::\d+)?: syntax error|: Syntax error: |: parse error near
           |^Error: unexpected (?:symbol|'.{1,3}'|string constant|numeric constant|input) in(?::$| \")
           |unexpected EOF while looking for matching|\^ syntax error|\d+: .{1,200} near <eof>
           |^missing close-brace|read-syntax: |: bad syntax$|expected a `.` to close
           |end of file during parsing|Error: Unexpected end of file in␣
  sample   Error: unexpected symbol in:\n"x <- c(1, 2\ny"\nExecution halted
  sample   run.sh: line 1: unexpected EOF while looking for matching `"'
  sample   gawk: app.awk:1: BEGIN { print (1 }\ngawk: app.awk:1:                  ^ syntax error
  sample   run.zsh:2: parse error near `x'
build erlang-compile
  words    .erl:  |  .hrl:
  pattern  ^\S+\.[eh]rl:\d+:\d+: (?!Warning|warning|syntax)
  sample   app.erl:3:11: function totl/0 undefined\n%    3| main() -> totl().
crash own-word-for-a-crash
  words    Fortran runtime error:␣  |  raised␣  |  Runtime error␣  |  Unhandled␣
             |  debugger invoked on a␣  |  contract violation  |  unbound identifier  |  In procedure␣
             |  init terminating in do_boot  |  exception error:␣  |  Error@  |  Exception@
             |  division by zero attempted  |  no such variable  |  invalid command name
             |  Unknown procedure  |  goal (initialization) raised exception  |  context...:
             |  Unbound variable:␣  |  Error: unbound variable  |  wrong # args  |  Bad substitution
             |  bad substitution  |  cannot open file  |  ; Unbound  |  while executing
             |  arity mismatch  |  error object is a␣  |  awk:␣  |  ERROR:␣  |  runtime error:␣
             |  Fatal error at
  pattern  ^Fortran runtime error: |^raised [A-Z][\w.]+ : |^Runtime error \d+ at \$
           |^Unhandled [A-Z][\w:-]+(?: \[?in thread| #<)|debugger invoked on an? |: contract violation$
           |: unbound identifier|: In procedure |^init terminating in do_boot|exception error:
            |^[\w.]+(?:Error|Exception)@\S+\(\d+\)|division by zero attempted
           |^can't read \".{1,100}\": no such |^invalid command name \"|: Unknown procedure:
            |goal \(initialization\) raised|^Unbound variable: |^Error: unbound variable|^wrong # args:
            |: \d+: Bad substitution|: bad substitution$|^\s+while executing$|: arity mismatch;
           |^\s+context\.\.\.:$|\(error object is an? \w+ value\)|^\w*awk: .{1,200}: fatal:
            |^ERROR: \S+\.pl:\d+|^\S+: \S+:\d+: runtime error:␣
  sample   At line 4 of file main.f90\nFortran runtime error: Index '5' of dimension 1 of array 'a' above
            upper bound of 3
  sample   raised CONSTRAINT_ERROR : main.adb:5 index check failed
  sample   car: contract violation\n  expected: pair?\n  given: '()
  sample   can't read "totl": no such variable\n    while executing\n"return $totl "
  sample   escript: exception error: {function_clause,[{local,f,[2]}]}
"""
)
