"""The table of RED's reasons: patterns over messages of tests and compilers; the first match decides."""

from __future__ import annotations

from tdd_orchestrator.model.report import Reason
from tdd_orchestrator.runners.reason_row import ReasonRow, row
from tdd_orchestrator.runners.reason_rows_scripts import ROWS as SCRIPTS
from tdd_orchestrator.runners.reason_rows_swift import ROWS as SWIFT

R = Reason

# A text that begins like an assertion is one, whatever it quotes: a test may expect a SyntaxError.

_PYTHON = (
    row(
        "python",
        r"\A(?:\w+\.)*AssertionError\b|\A(?:Failed: )?DID NOT (?:RAISE|WARN)",
        R.ASSERTION,
        "AssertionError: assert 3 == 4",
        "asserted",
    ),
    row("python", r"\Aassert ", R.ASSERTION, "assert 'a' == 'b'", "asserted"),
    row(
        "python",
        r"\A(?:\w+\.)*(?:DocTestFailure|MultipleDoctestFailures)\b",
        R.ASSERTION,
        "DocTestFailure: <DocTest calc.add from calc.py:1>",
    ),
    row(
        "python",
        (
            r"fixture '(\w+)' not found|FixtureLookupError|ScopeMismatch"
            "|recursive dependency involving fixture"
        ),
        R.FIXTURE,
        "fixture 'db' not found",
    ),
    row(
        "python",
        r"(?:SyntaxError|IndentationError|TabError)\b",
        R.SYNTAX,
        "SyntaxError: invalid syntax (test_a.py, line 1)",
    ),
    row(
        "python",
        r"Timeout >|TimeoutError|timed out after|\bTimeoutExpired\b",
        R.TIMEOUT,
        "Failed: Timeout >1.0s",
    ),
    row(
        "python",
        r"XPASS\(strict\)|async def functions are not natively supported",
        R.UNKNOWN,
        "[XPASS(strict)] later",
    ),
    row(
        "python",
        r"circular import",
        R.EXCEPTION,
        (
            "ImportError: cannot import name 'a' from partially initialized module 'b' (most likely "
            "due to a circular import)"
        ),
    ),
    row(
        "python",
        r"cannot import name '\w+' from '([\w.]+)'",
        R.MISSING_SYMBOL,
        "ImportError: cannot import name 'sub' from 'kata' (kata.py)",
        "strict",
    ),
    row(
        "python",
        r"No module named '?([\w.]+)",
        R.MISSING_SYMBOL,
        "ModuleNotFoundError: No module named 'inventory'",
        "import",
    ),
    row(
        "python",
        r"module '([\w.]+)' has no attribute '\w+'",
        R.MISSING_SYMBOL,
        "AttributeError: module 'kata' has no attribute 'sub'",
        "strict",
    ),
    row(
        "python",
        r"^(?:AttributeError: )?module ([\w.]+) has no attribute \w+$",
        R.MISSING_SYMBOL,
        "AttributeError: module kata has no attribute sub",
        "strict",
    ),
    # modules with their own __getattr__
    row(
        "python",
        r"<(?:module|class) '([\w.]+)'[^\n>]*> (?:has no|does not have the) attribute '\w+'",
        R.MISSING_SYMBOL,
        "AttributeError: <module 'kata' from '/x/kata.py'> does not have the attribute 'sub'",
        "strict",
    ),
    # mock and monkeypatch
    row(
        "python",
        r"^(?:AttributeError: )?(?:'(\w+)' object|type object '(\w+)') has no attribute '\w+'",
        R.MISSING_SYMBOL,
        "AttributeError: 'Stack' object has no attribute 'peek'",
        "type",
    ),
    row(
        "python",
        r"^TypeError: (?:'(\w+)' object (?:is not (?:iterable|callable|subscriptable|an iterator"
        "|awaitable)|does not support|cannot be interpreted)"
        r"|unhashable type: '(\w+)'|type (\w+) doesn't define __|object (\w+) can't be used in 'await'"
        r"|object of type '(\w+)' has no len|unsupported operand type\(s\) for [^:]+: '(\w+)' and '(\w+)'"
        r"|'[<>=]+' not supported between instances of '(\w+)' and '(\w+)'"
        r"|bad operand type for [^:]+: '(\w+)'"
        r"|argument of type '(\w+)' is not iterable|cannot unpack non-iterable (\w+) object)",
        R.MISSING_SYMBOL,
        "TypeError: unsupported operand type(s) for +: 'Money' and 'Money'",
        "type",
    ),
    row(
        "python",
        r"^TypeError: (?:\w+\.)*?(\w+)(?:\.__init__)?\(\) (?:got "
        r"an unexpected keyword|takes (?:no|\d+"
        r"|from) |missing \d+ required"
        r"|got some positional-only|got multiple values)",
        R.MISSING_SYMBOL,
        "TypeError: add() got an unexpected keyword argument 'c'",
        "call",
    ),
    row("python", r"^NotImplementedError\b", R.MISSING_SYMBOL, "NotImplementedError: push", "stub"),
    row(
        "python",
        r"^(?:\w+\.)*AssertionError\b|^(?:Failed: )?DID NOT (?:RAISE|WARN)|^Failed\b",
        R.ASSERTION,
        "Failed: no",
        "asserted",
    ),
    row("python", r"^NameError\b", R.EXCEPTION, "NameError: name 'undefined_thing' is not defined"),
)

_JAVASCRIPT = (
    row(
        "javascript",
        r"\"(?:before|after) (?:each|all)\" hook|\bhookFailed\b",
        R.FIXTURE,
        '"before each" hook for "adds": boom',
    ),
    row(
        "javascript",
        (
            r"\A(?:Jest)?AssertionError\b|\A(?:Error: )?(?:expect\(|[Ee]xpected [^\n]* to )"
            r"|\A(?:\w+: )?Missing expected (?:exception|rejection)"
        ),
        R.ASSERTION,
        "AssertionError: 3 == 4",
        "asserted",
    ),
    row(
        "javascript",
        r"Exceeded timeout of|[Tt]est timed out (?:in|after)|Timeout of \d+ ?ms exceeded"
        "|testTimeoutFailure"
        r"|Test timeout of \d+ms exceeded|Async function did not complete within",
        R.TIMEOUT,
        "Error: Test timed out in 5000ms.",
    ),
    row(
        "javascript",
        (
            "requested module '([^']+)' does not provide an export"
            r"|No matching export in \"([^\"]+)\""
        ),
        R.MISSING_SYMBOL,
        "SyntaxError: The requested module '../sum.js' does not provide an export named 'sub'",
        "path",
    ),
    row(
        "javascript",
        r"Cannot find module '?([^'\s]*node_modules[^'\s]*)",
        R.THIRD_PARTY,
        "Cannot find module '/x/node_modules/y/z.js' imported from a.js",
    ),
    row(
        "javascript",
        r"Cannot find module '([^']+)' imported from",
        R.MISSING_SYMBOL,
        "Cannot find module 'src/nope.js' imported from test/r.test.js",
    ),
    row(
        "javascript",
        r"Cannot find package '([^']+)'",
        R.MISSING_SYMBOL,
        "Cannot find package 'left-pad' imported from test/r.test.js",
        "strict",
    ),
    row(
        "javascript",
        r"Package subpath '[^']+' is not defined by \"exports\" in (\S*node_modules\S*)",
        R.THIRD_PARTY,
        "Package subpath './x' is not defined by \"exports\" in /x/node_modules/y/package.json",
    ),
    row(
        "javascript",
        r"Package subpath '([^']+)' is not defined by \"exports\" in",
        R.MISSING_SYMBOL,
        "Package subpath './maths' is not defined by \"exports\" in /x/package.json",
    ),
    row(
        "javascript",
        r"Cannot find module ['\"]([^'\"]+)['\"]|Failed to resolve import \"([^\"]+)\""
        r"|Failed to load url (\S+)"
        r"|Could not resolve \"([^\"]+)\"",
        R.MISSING_SYMBOL,
        "Cannot find module './nope.js' from 'r.test.js'",
        "path",
    ),
    row(
        "javascript",
        r"Could not locate module \S+ mapped as:\s*+(?!\S*node_modules)",
        R.MISSING_SYMBOL,
        "Could not locate module @app/maths mapped as:\n/x/src/$1.",
    ),
    row(
        "javascript",
        r"'?\"([^\"]+)\"'? has no (?:exported member|default export)",
        R.MISSING_SYMBOL,
        "TS2305: Module '\"./sum\"' has no exported member 'sub'.",
        "path",
    ),
    row(
        "javascript",
        r"(?:Property|and) '\w+' does not exist (?:on|in) type '(?:typeof )?([\w.]+)",
        R.MISSING_SYMBOL,
        "TS2339: Property 'peek' does not exist on type 'Stack'.",
        "type",
    ),
    row(
        "javascript",
        r"TS2554|Expected \d+(?:-\d+)? arguments?, but got \d+",
        R.MISSING_SYMBOL,
        "error TS2554: Expected 1 arguments, but got 2.",
    ),
    row(
        "javascript",
        r"TS1\d{3}\b|SyntaxError|Unexpected token"
        "|encountered an unexpected token|Transform failed"
        "|Parse failure"
        r"|PARSE_ERROR|Failed to parse source|RollupError: (?:Expected|Unexpected)",
        R.SYNTAX,
        "SyntaxError: Unexpected token '='",
    ),
    row("javascript", r"\b[Nn]ot (?:yet )?implemented\b", R.MISSING_SYMBOL, "Error: not implemented", "stub"),
    row(
        "javascript",
        r"AssertionError|JestAssertionError|ERR_ASSERTION|ExpectationFailed|expect\((?:\w+"
        r"|jest\.fn\(\))?\)|^(?:Error: )?[Ee]xpected .* to |"
        r"Snapshot .*mismatched|toMatchSnapshot|Assertion failed|^operator: |Difference:",
        R.ASSERTION,
        "Error [ERR_ASSERTION]: 3 == 4",
        "asserted",
    ),
    row(
        "javascript",
        r"\b(?:undefined|null) is not iterable",
        R.EXCEPTION,
        "TypeError: undefined is not iterable",
    ),
    row(
        "javascript",
        (
            r"(?:TypeError: )?(?<!\S)(\S++(?: \S++)?) is not (?:a (?:function|constructor)"
            "|(?:async )?iterable)"
        ),
        R.MISSING_SYMBOL,
        "TypeError: (intermediate value).peek is not a function",
        "call",
    ),
    row(
        "javascript",
        r"ReferenceError|Cannot read propert|^\w*Error\b",
        R.EXCEPTION,
        "ReferenceError: whatever is not defined",
    ),
)

_GO = (
    row("go", r"panic: test timed out|test timed out after", R.TIMEOUT, "panic: test timed out after 1s"),
    row("go", r"undefined: (\w+)\.\w+", R.MISSING_SYMBOL, "undefined: stack.New", "module", True),
    row("go", r"undefined: (\w+)$", R.MISSING_SYMBOL, "undefined: Sub", build=True),
    row(
        "go",
        (
            r"undefined \(type (\S+) has no (?:field or )?method|has no field or method"
            r"|type (\S+) has no field or method"
        ),
        R.MISSING_SYMBOL,
        "(&Stack{}).Peek undefined (type *Stack has no field or method Peek)",
        "type",
        True,
    ),
    row(
        "go",
        r"unknown field '?(\w+)'? in struct literal|(?:not enough|too many) arguments in (?:call"
        "|conversion)|assignment mismatch: "
        r"|used as value",
        R.MISSING_SYMBOL,
        "not enough arguments in call to Add",
        build=True,
    ),
    row(
        "go",
        (
            r"(?<!\S)(\S++) does not implement [^\n]*\((?:missing (?:\w+ )?method"
            r"|wrong type for (?:\w+ )?method|method \w+ has pointer receiver)"
        ),
        R.MISSING_SYMBOL,
        (
            "cannot use Square{} as Shape value in variable declaration: Square does not implement "
            "Shape (missing method Area)"
        ),
        "type",
        True,
    ),
    row(
        "go",
        (
            r"no required module provides package ([^\s;]+)|does not contain package ([^\s;]+)"
            r"|package ([^\s;]+) is not in (?:GOROOT|std)|cannot find (?:package"
            r"|module providing package) \"?([^\s\"]+)"
        ),
        R.MISSING_SYMBOL,
        "package x/y is not in GOROOT (/usr/lib/go/src/x/y)",
        "strict",
        True,
    ),
    row(
        "go",
        "syntax error|missing condition|expected .* found|declared (?:but|and) not used"
        "|imported (?:but|and) not used"
        r"|missing return|expected '",
        R.SYNTAX,
        "syntax error: unexpected newline",
        build=True,
    ),
    row(
        "go",
        r"cannot use |mismatched types|invalid operation",
        R.EXCEPTION,
        "cannot use 1 as string value",
        build=True,
    ),
    row(
        "go",
        r"^(?:test )?panic(?:ked)?:.*\b(?:not (?:yet )?implemented|TODO|unimplemented)\b",
        R.MISSING_SYMBOL,
        "panic: not implemented",
    ),
    row("go", r"^(?:test )?panic(?:ked)?:", R.EXCEPTION, "panic: assignment to entry in nil map [recovered]"),
)

_RUST = (
    row(
        "rust",
        r"unresolved imports? `((?:crate|self|super)\b[^`]*)`",
        R.MISSING_SYMBOL,
        "E0432: unresolved import `crate::sub`",
    ),
    row(
        "rust",
        r"unresolved imports? `([^`]+)`",
        R.MISSING_SYMBOL,
        "E0432: unresolved import `x::sub`",
        "strict",
    ),
    row(
        "rust",
        (
            r"cannot find (?:\w+ )*`\w+` in (?:crate |module )?`(?!crate\b|self\b|super\b)(\w[\w:]*)`"
            r"|can't find crate for `(\w+)`"
        ),
        R.MISSING_SYMBOL,
        "E0425: cannot find function `double` in crate `kata`",
        "strict",
        True,
    ),
    row(
        "rust",
        "use of undeclared type|cannot find type|cannot find struct|cannot find trait"
        "|cannot find function|cannot find tuple"
        r"|cannot find value `[A-Z]|E0412\b|could not find `\w+` in `(?:crate|self|super)",
        R.MISSING_SYMBOL,
        "E0425: cannot find function `sub` in this scope",
        build=True,
    ),
    row(
        "rust",
        (
            r"could not find `\w+` in `(\w+)`|(?:undeclared crate or module"
            r"|unresolved module or unlinked crate|undeclared module) `(\w+)`"
        ),
        R.MISSING_SYMBOL,
        "E0433: failed to resolve: use of undeclared crate or module `nope`",
        "strict",
    ),
    row(
        "rust",
        "no (?:method|function or associated item|associated item|variant|variant or associated item"
        r"|field)(?: named)? `\w+` (?:found|on)"
        r"[^`]*`([^`]+)`",
        R.MISSING_SYMBOL,
        "E0599: no method named `peek` found for struct `Stack` in the current scope",
        "type",
        True,
    ),
    row(
        "rust",
        "the trait bound `([^`:]+): [^`]*` is not satisfied|`([^`]+)` doesn't implement `"
        "|binary operation `[^`]+` cannot be applied to type `([^`]+)`"
        "|cannot (?:add|subtract|multiply|divide|calculate)[^`]{0,60} `([^`]+)`(?: (?:to|from"
        "|by) `([^`]+)`)?",
        R.MISSING_SYMBOL,
        "E0369: binary operation `==` cannot be applied to type `Money`",
        "type",
        True,
    ),
    row(
        "rust",
        r"struct `([^`]+)` has no field|variant .* has no field",
        R.MISSING_SYMBOL,
        "E0560: struct `Stack` has no field named `size`",
        "type",
        True,
    ),
    row(
        "rust",
        r"E0061|takes \d+ (?:arguments?|generic)|is private",
        R.MISSING_SYMBOL,
        "E0061: this function takes 2 arguments but 1 argument was supplied",
        build=True,
    ),
    row(
        "rust",
        (
            "expected .*, found|unclosed delimiter|unexpected closing|unterminated|expected (?:one of"
            "|identifier|expression)|mismatched closing"
        ),
        R.SYNTAX,
        "expected pattern, found `=`",
        build=True,
    ),
    row("rust", r"not (?:yet )?implemented", R.MISSING_SYMBOL, "not yet implemented", "stub"),
    row(
        "rust",
        r"assertion .*failed|test did not panic as expected",
        R.ASSERTION,
        "assertion `left == right` failed",
    ),
    row(
        "rust",
        r"called `(?:Option|Result)::(?:unwrap|expect)\w*\(\)` on an? `\w+` value(?!: (?:Os|Custom|\w*Utf8\w*"
        r"|(?:Parse|TryFrom|AddrParse|Recv|Send|Poison|Borrow|Var|SystemTime|Layout)\w*|NotPresent)\b)",
        R.ASSERTION,
        "called `Result::unwrap()` on an `Err` value: NoSuchUser",
        "asserted",
    ),
    row("rust", r"timed out", R.TIMEOUT, "timed out"),
    row("rust", r"\S", R.EXCEPTION, "index out of bounds: the len is 0 but the index is 0"),
)

_JAVA = (
    row(
        "java",
        (
            r"\A(?:[\w.$]+: )?(?:[^\n]{0,300} ==> )?expected: ?<|\A[\w.$]*(?:AssertionFailedError"
            r"|AssertionError|ComparisonFailure): \s*[Ee]xpect(?:ed|ing)\b"
        ),
        R.ASSERTION,
        "org.opentest4j.AssertionFailedError: expected: <4> but was: <3>",
    ),
    row(
        "java",
        r"package ([\w.]+) does not exist",
        R.MISSING_SYMBOL,
        "package com.acme.stack does not exist",
        "strict",
        True,
    ),
    row(
        "java",
        r"cannot find symbol[\s\S]{0,200}?location:\s+package ([\w.]+)",
        R.MISSING_SYMBOL,
        "cannot find symbol\n  symbol:   class Twice\n  location: package com.acme",
        "strict",
        True,
    ),
    row(
        "java",
        r"cannot find symbol(?:[\s\S]{0,200}?location:\s+variable \w+ of type (\w+))",
        R.MISSING_SYMBOL,
        "cannot find symbol\n  symbol:   method peek()\n  location: variable s of type Stack",
        "type",
        True,
    ),
    row(
        "java",
        (
            r"cannot find symbol[\s\S]{0,80}?symbol:\s+method [\s\S]{0,200}?location:\s+class \S*(?:Tests?"
            "|TestCase|IT|Spec)$"
        ),
        R.EXCEPTION,
        "cannot find symbol\n  symbol:   method helper()\n  location: class com.acme.TwiceTest",
        build=True,
    ),
    row(
        "java",
        r"cannot find symbol[\s\S]{0,80}?symbol:\s+variable [a-z]",
        R.EXCEPTION,
        "cannot find symbol\n  symbol:   variable whatever\n  location: class ATest",
        build=True,
    ),
    row(
        "java",
        (
            r"cannot find symbol(?:[\s\S]{0,80}?symbol:\s+\w+ (\w+))?|cannot be applied to given types"
            "|no suitable (?:method|constructor)|has private access|[Uu]nresolved reference"
        ),
        R.MISSING_SYMBOL,
        "cannot find symbol\n  symbol: class Queue",
        build=True,
    ),
    row(
        "java",
        "' expected|<identifier> expected|illegal start of|reached end of file|not a statement"
        "|unclosed|class, interface"
        r"|expecting ",
        R.SYNTAX,
        "';' expected",
        build=True,
    ),
    row(
        "java",
        r"incompatible types|unreported exception",
        R.EXCEPTION,
        "incompatible types: int cannot be converted to String",
        build=True,
    ),
    row(
        "java",
        r"timed out after|TestTimedOutException|execution timed out",
        R.TIMEOUT,
        "test timed out after 100 milliseconds",
    ),
    row(
        "java",
        r"ParameterResolutionException|Failed to load ApplicationContext",
        R.FIXTURE,
        "ParameterResolutionException: No resolver",
    ),
    row(
        "java",
        (
            "AssertionFailedError|AssertionError|ComparisonFailure|MultipleFailuresError"
            "|ConditionNotSatisfied|^expected: ?<|Wanted but not invoked"
        ),
        R.ASSERTION,
        "java.lang.AssertionError: no",
    ),
    row(
        "java",
        (
            r"(?:UnsupportedOperation|NotImplemented)\w*.*\b[Nn]ot (?:yet )?implemented|NotImplementedError"
            "|UnsupportedOperationException$"
        ),
        R.MISSING_SYMBOL,
        "java.lang.UnsupportedOperationException: not implemented",
        "stub",
    ),
    row("java", r"(?:Exception|Error)\b", R.EXCEPTION, "java.lang.NullPointerException"),
)

_RUBY = (
    row(
        "ruby",
        (
            r"\A(?:RSpec::Expectations::ExpectationNotMetError|Minitest::Assertion)\b|\A(?:[Ee]xpected\b"
            r"|--- expected$|[^\n]{1,300} expected but nothing was raised)"
        ),
        R.ASSERTION,
        "expected: 4\ngot: 3",
    ),
    row(
        "ruby",
        r"SyntaxError|syntax error",
        R.SYNTAX,
        "SyntaxError: spec/a_spec.rb:5: syntax error, unexpected `end'",
    ),
    row(
        "ruby",
        r"cannot load such file -- ([^\s]+)",
        R.MISSING_SYMBOL,
        "LoadError: cannot load such file -- lib/nope",
        "import",
    ),
    row("ruby", r"Timeout::Error|execution expired", R.TIMEOUT, "Timeout::Error: execution expired"),
    row(
        "ruby",
        r"before\(:(?:each|all|suite|context)\) hook|error occurred in an? `(?:before|after)",
        R.FIXTURE,
        "An error occurred in a `before(:context)` hook.",
    ),
    row(
        "ruby",
        r"uninitialized constant (?:\w*Test::|RSpec::ExampleGroups::\w+::)?([\w:]+)",
        R.MISSING_SYMBOL,
        "NameError: uninitialized constant Queue2",
        "module",
    ),
    row(
        "ruby",
        r"undefined local variable or method",
        R.EXCEPTION,
        "NameError: undefined local variable or method `foo' for #<RTest>",
    ),
    row(
        "ruby",
        r"undefined method [`']\S+' for (?:an instance of |#<)(?:RSpec::ExampleGroups|\w*Test\b)",
        R.MISSING_SYMBOL,
        "NoMethodError: undefined method `sub' for #<RSpec::ExampleGroups::Sum>",
    ),
    row(
        "ruby",
        r"undefined method [`']\S+' for (?:an instance of |class |#<|module )?([\w:]+)",
        R.MISSING_SYMBOL,
        "NoMethodError: undefined method `peek' for #<Stack:0x00007f76>",
        "type",
    ),
    row(
        "ruby",
        r"ArgumentError: (?:wrong number of arguments|unknown keywords?|missing keywords?)",
        R.MISSING_SYMBOL,
        "ArgumentError: wrong number of arguments (given 1, expected 2)",
    ),
    row("ruby", r"NotImplementedError", R.MISSING_SYMBOL, "NotImplementedError: push", "stub"),
    row(
        "ruby",
        r"\A(?!\S*Assertion)(?:\w+::)*\w*(?:Error|Exception): ",
        R.EXCEPTION,
        "RuntimeError: expected a number",
    ),
    row(
        "ruby",
        (
            r"ExpectationNotMet|Minitest::Assertion|AssertionFailedError|[Ee]xpected|\bgot: |to eq|did not "
            r"|<[^\s<]+> was expected|Failed assertion"
        ),
        R.ASSERTION,
        "Failed assertion, no message given.",
    ),
)

_PHP = (
    row(
        "php", r"\A(?:[\w\\]+: )?Failed asserting", R.ASSERTION, "Failed asserting that 3 is identical to 4."
    ),
    row(
        "php",
        r"ParseError|syntax error, unexpected",
        R.SYNTAX,
        'ParseError: syntax error, unexpected token ";"',
    ),
    row(
        "php",
        r"RiskyTestError|did not perform any assertions",
        R.UNKNOWN,
        "This test did not perform any assertions",
    ),
    row(
        "php",
        r"ExpectationFailedException|AssertionFailedError|Failed asserting",
        R.ASSERTION,
        "PHPUnit\\Framework\\AssertionFailedError: no",
    ),
    row(
        "php",
        r"undefined method (?:\w+\\)*\w*Test::",
        R.EXCEPTION,
        "Error: Call to undefined method RTest::helper()",
    ),
    row(
        "php",
        (
            r"(?:Class|Interface|Trait|Enum|Class or interface) [\"']([\w\\]+)[\"'] (?:not found"
            r"|does not exist)|undefined method ([\w\\]+)::"
        ),
        R.MISSING_SYMBOL,
        'Error: Class "Queue2" not found',
        "namespaced",
    ),
    row(
        "php",
        "undefined function|Undefined constant|Unknown named parameter|Too (?:few"
        "|many) arguments to function|[Uu]ndefined property: (?!stdClass)"
        r"|Cannot access (?:private|protected) (?:property|const)|Call to (?:private|protected) ",
        R.MISSING_SYMBOL,
        "Error: Call to undefined function sub()",
    ),
    row(
        "php",
        r"Failed opening required|Failed to open stream: No such file",
        R.MISSING_SYMBOL,
        "Failed opening required 'src/nope.php'",
    ),
    row("php", r"[Nn]ot (?:yet )?implemented", R.MISSING_SYMBOL, "LogicException: not implemented", "stub"),
    row("php", r"aborted after \d+ seconds|timed out", R.TIMEOUT, "This test was aborted after 1 seconds"),
)

_C = (
    row(
        "c",
        r"\A(?:Expected\b|Value of: )",
        R.ASSERTION,
        "Expected equality of these values:\n  status()\n    Which is: Timeout",
    ),
    row(
        "c",
        (
            r"expected [^\n]{0,200}?(?:before|after|at end of|;)|stray |missing terminating|unterminated"
            "|expected (?:expression|unqualified-id|'[;)}])"
        ),
        R.SYNTAX,
        "error: expected ';' before '}' token",
        build=True,
    ),
    row(
        "c",
        r"(?:member named|no member named) ['‘`]\w+['’`] in (?:namespace )?['‘`]([\w:]+)",
        R.MISSING_SYMBOL,
        "error: no member named 'peek' in 'Stack'",
        "module",
        True,
    ),
    row(
        "c",
        r"['‘`](?:(?:class|struct|const) )*([\w:]++)[^'’`‘\n]*+['’] has no member named",
        R.MISSING_SYMBOL,
        "error: 'class Stack' has no member named 'peek'",
        "module",
        True,
    ),
    row(
        "c",
        r"(?:^|fatal error: )([\w/.+-]+): No such file|['\"]([\w/.+-]+)['\"] file not found",
        R.MISSING_SYMBOL,
        "fatal error: queue.h: No such file or directory",
        "header",
        True,
    ),
    row(
        "c",
        r"['‘`](\w+)['’`] (?:was not declared|undeclared|is not a member of)"
        r"|undeclared identifier ['‘](\w+)|implicit declaration of function ['‘](\w+)"
        r"|call to undeclared function ['‘](\w+)|undefined reference to [`'‘](\w+)"
        r"|unknown type name ['‘](\w+)|undefined symbols?|no matching (?:function|member)"
        r"|too (?:many|few) arguments|does not name a type|has not been declared",
        R.MISSING_SYMBOL,
        "error: 'sub' was not declared in this scope",
        "module",
        True,
    ),
    row("c", r"Timeout|timed out", R.TIMEOUT, "***Timeout 1.00 sec"),
    row(
        "c",
        (
            "unexpected exception|exception with description|thrown in|SIG[A-Z]{3,}|[Ss]egmentation"
            r"|Unknown C\+\+ exception"
        ),
        R.EXCEPTION,
        'C++ exception with description "boom" thrown in the test body.',
    ),
)

ROWS: tuple[ReasonRow, ...] = (
    *_PYTHON,
    *_JAVASCRIPT,
    *_GO,
    *_RUST,
    *_JAVA,
    *_RUBY,
    *_PHP,
    *_C,
    *SCRIPTS,
    *SWIFT,
)
