"""The table of RED's reasons: patterns over messages of tests and compilers; the first match decides."""

from __future__ import annotations

from tdd_orchestrator.runners.reason_owners import ReasonRow, reason_rows
from tdd_orchestrator.runners.reason_rows_more import ROWS as MORE

# A text that begins like an assertion is one, whatever it quotes: a test may expect a SyntaxError.
ROWS: tuple[ReasonRow, ...] = (
    *reason_rows(r"""
python assertion asserted
  pattern  \A(?:\w+\.)*AssertionError\b|\A(?:Failed: )?DID NOT (?:RAISE|WARN)
  sample   AssertionError: assert 3 == 4
python assertion asserted
  pattern  \Aassert␣
  sample   assert 'a' == 'b'
python assertion
  pattern  \A(?:\w+\.)*(?:DocTestFailure|MultipleDoctestFailures)\b
  sample   DocTestFailure: <DocTest calc.add from calc.py:1>
# mypy, pyright and pylint, where the command runs one before the tests
python missing_symbol strict build
  pattern  ^Module "([\w.]+)" (?:has no attribute|does not explicitly export attribute) "|^(?:E0611: )?No name␣
           '\w+' in module '([\w.]+)'
  sample   Module "kata" has no attribute "sub"  [attr-defined]
python missing_symbol import build
  pattern  ^Cannot find implementation or library stub for module named "([\w.]+)"
           |^Import "([\w.]+)" could not be resolved|^(?:E0401: )?Unable to import '([\w.]+)'
  sample   Cannot find implementation or library stub for module named "inventory"  [import-not-found]
python missing_symbol type build
  pattern  ^"(?:type\[)?(\w+)\]?" has no attribute "|^Cannot access attribute "\w+" for class "(?:type\[)?(\w+)
           |^(?:E1101: )?(?:Instance of|Class) '(\w+)' has no '\w+' member
  sample   "Stack" has no attribute "peek"  [attr-defined]
python missing_symbol build
  pattern  ^"\w+" is unknown import symbol
  sample   "sub" is unknown import symbol (reportAttributeAccessIssue)
python missing_symbol call build
  pattern  ^(?:Too (?:many|few) (?:positional )?arguments|Unexpected keyword argument "\w+"
           |Missing (?:positional|named) arguments? .{1,200} in call) (?:for|to) "(\w+)"
  sample   Too many arguments for "add"  [call-arg]
python exception types build
  pattern  \[(?:arg-type|assignment|operator|comparison-overlap|index|union-attr|call-overload|attr-defined
           |func-returns-value|dict-item|list-item|type-var|misc)\]$|\(report(?:Argument|Assignment|Operator|Call
           |Index|AttributeAccess|OptionalMember|GeneralType)\w*\)$|^E112[0134]: |\((?:no-value-for-parameter
           |too-many-function-args|unexpected-keyword-arg)\)$
  sample   Argument 1 to "double" has incompatible type "str"; expected "int"  [arg-type]
python fixture
  pattern  fixture '(\w+)' not found|FixtureLookupError|ScopeMismatch|recursive dependency involving fixture
  sample   fixture 'db' not found
python syntax
  pattern  (?:SyntaxError|IndentationError|TabError)\b
  sample   SyntaxError: invalid syntax (test_a.py, line 1)
python timeout
  pattern  Timeout \(?>|TimeoutError|timed out after|\bTimeoutExpired\b
  sample   Failed: Timeout (>3.0s) from pytest-timeout.
python unknown
  pattern  XPASS\(strict\)|async def functions are not natively supported
  sample   [XPASS(strict)] later
python exception
  pattern  circular import
  sample   ImportError: cannot import name 'a' from partially initialized module 'b' (most likely due to a
            circular import)
python missing_symbol strict
  pattern  cannot import name '\w+' from '([\w.]+)'
  sample   ImportError: cannot import name 'sub' from 'kata' (kata.py)
python missing_symbol import
  pattern  No module named '?([\w.]+)
  sample   ModuleNotFoundError: No module named 'inventory'
# a member of an enum, from Python 3.11
python missing_symbol
  pattern  ^AttributeError: ([A-Z]\w*)$
  sample   AttributeError: QUAL_MODULE
python missing_symbol strict
  pattern  module '([\w.]+)' has no attribute '\w+'
  sample   AttributeError: module 'kata' has no attribute 'sub'
python missing_symbol strict
  pattern  ^(?:AttributeError: )?module ([\w.]+) has no attribute \w+$
  sample   AttributeError: module kata has no attribute sub
# modules with their own __getattr__; then mock and monkeypatch
python missing_symbol strict
  pattern  <(?:module|class) '([\w.]+)'[^\n>]*> (?:has no|does not have the) attribute '\w+'
  sample   AttributeError: <module 'kata' from '/x/kata.py'> does not have the attribute 'sub'
python missing_symbol type
  pattern  ^(?:AttributeError: )?(?:'(\w+)' object|type object '(\w+)') has no attribute '\w+'
  sample   AttributeError: 'Stack' object has no attribute 'peek'
python missing_symbol type
  pattern  ^TypeError: (?:'(\w+)' object (?:is not (?:iterable|callable|subscriptable|an iterator|awaitable)
           |does not support|cannot be interpreted)|unhashable type: '(\w+)'|type (\w+) doesn't define __
           |object (\w+) can't be used in 'await'|object of type '(\w+)' has no len
           |unsupported operand type\(s\) for [^:]+: '(\w+)' and '(\w+)'
           |'[<>=]+' not supported between instances of '(\w+)' and '(\w+)'
           |bad operand type for [^:]+: '(\w+)'|argument of type '(\w+)' is not iterable
           |cannot unpack non-iterable (\w+) object)
  sample   TypeError: unsupported operand type(s) for +: 'Money' and 'Money'
python missing_symbol call
  pattern  ^TypeError: (?:\w+\.)*?(\w+)(?:\.__init__)?\(\) (?:got an unexpected keyword|takes (?:no|\d+
           |from) |missing \d+ required|got some positional-only|got multiple values)
  sample   TypeError: add() got an unexpected keyword argument 'c'
python missing_symbol stub
  pattern  ^NotImplementedError\b
  sample   NotImplementedError: push
python assertion asserted
  pattern  ^(?:\w+\.)*AssertionError\b|^(?:Failed: )?DID NOT (?:RAISE|WARN)|^Failed\b
  sample   Failed: no
python exception
  pattern  ^NameError\b
  sample   NameError: name 'undefined_thing' is not defined

javascript fixture
  pattern  \"(?:before|after) (?:each|all)\" hook|\bhookFailed\b
  sample   "before each" hook for "adds": boom
javascript assertion asserted
  pattern  \A(?:Jest)?AssertionError\b|\A(?:Error: )?(?:expect\(|[Ee]xpected [^\n]* to )
           |\A(?:\w+: )?Missing expected (?:exception|rejection)
  sample   AssertionError: 3 == 4
javascript timeout
  pattern  Exceeded timeout of|[Tt]est timed out (?:in|after)|Timeout of \d+ ?ms exceeded|testTimeoutFailure
           |Test timeout of \d+ms exceeded|Async function did not complete within
  sample   Error: Test timed out in 5000ms.
javascript missing_symbol path
  pattern  requested module '([^']+)' does not provide an export|No matching export in \"([^\"]+)\"
  sample   SyntaxError: The requested module '../sum.js' does not provide an export named 'sub'
javascript third_party
  pattern  Cannot find module '?([^'\s]*node_modules[^'\s]*)
  sample   Cannot find module '/x/node_modules/y/z.js' imported from a.js
javascript missing_symbol
  pattern  Cannot find module '([^']+)' imported from
  sample   Cannot find module 'src/nope.js' imported from test/r.test.js
javascript missing_symbol strict
  pattern  Cannot find package '([^']+)'
  sample   Cannot find package 'left-pad' imported from test/r.test.js
javascript third_party
  pattern  Package subpath '[^']+' is not defined by \"exports\" in (\S*node_modules\S*)
  sample   Package subpath './x' is not defined by "exports" in /x/node_modules/y/package.json
javascript missing_symbol
  pattern  Package subpath '([^']+)' is not defined by \"exports\" in
  sample   Package subpath './maths' is not defined by "exports" in /x/package.json
javascript missing_symbol path
  pattern  Cannot find module ['\"]([^'\"]+)['\"]|Failed to resolve import \"([^\"]+)\"
           |Failed to load url (\S+)|Could not resolve \"([^\"]+)\"
  sample   Cannot find module './nope.js' from 'r.test.js'
javascript missing_symbol
  pattern  Could not locate module \S+ mapped as:\s*+(?!\S*node_modules)
  sample   Could not locate module @app/maths mapped as:\n/x/src/$1.
javascript missing_symbol path
  pattern  '?\"([^\"]+)\"'? has no (?:exported member|default export)
  sample   TS2305: Module '"./sum"' has no exported member 'sub'.
javascript missing_symbol type
  pattern  (?:Property|and) '\w+' does not exist (?:on|in) type '(?:typeof )?([^']+)
  sample   TS2339: Property 'peek' does not exist on type 'Stack'.
javascript missing_symbol
  pattern  TS2554|Expected \d+(?:-\d+)? arguments?, but got \d+
  sample   error TS2554: Expected 1 arguments, but got 2.
javascript exception types build
  pattern  TS2(?:322|345|367|769)\b|is not assignable to (?:parameter of )?type '|have no overlap
  sample   TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.
javascript syntax
  pattern  TS1\d{3}\b|SyntaxError|Unexpected token|encountered an unexpected token|Transform failed
           |Parse failure|PARSE_ERROR|Failed to parse source|RollupError: (?:Expected|Unexpected)
  sample   SyntaxError: Unexpected token '='
javascript missing_symbol stub
  pattern  \b[Nn]ot (?:yet )?implemented\b
  sample   Error: not implemented
javascript assertion asserted
  pattern  AssertionError|JestAssertionError|ERR_ASSERTION|ExpectationFailed|expect\((?:\w+|jest\.fn\(\))?\)
           |^(?:Error: )?[Ee]xpected .* to |Snapshot .*mismatched|toMatchSnapshot|Assertion failed
           |^operator: |Difference:
  sample   Error [ERR_ASSERTION]: 3 == 4
javascript exception
  pattern  \b(?:undefined|null) is not iterable
  sample   TypeError: undefined is not iterable
javascript missing_symbol call
  pattern  (?:TypeError: )?(?<!\S)(\S++(?: \S++)?) is not (?:a (?:function|constructor)|(?:async )?iterable)
  sample   TypeError: (intermediate value).peek is not a function
javascript exception
  pattern  ReferenceError|Cannot read propert|^\w*Error\b
  sample   ReferenceError: whatever is not defined

go timeout
  pattern  panic: test timed out|test timed out after
  sample   panic: test timed out after 1s
go missing_symbol module build
  pattern  undefined: (\w+)\.\w+
  sample   undefined: stack.New
go missing_symbol build
  pattern  undefined: (\w+)$
  sample   undefined: Sub
go missing_symbol type build
  pattern  undefined \(type (\S+) has no (?:field or )?method|has no field or method
           |type (\S+) has no field or method
  sample   (&Stack{}).Peek undefined (type *Stack has no field or method Peek)
go missing_symbol build
  pattern  unknown field '?(\w+)'? in struct literal|(?:not enough|too many) arguments in (?:call|conversion)
           |assignment mismatch: |used as value
  sample   not enough arguments in call to Add
go missing_symbol type build
  pattern  (?<!\S)(\S++) does not implement [^\n]*\((?:missing (?:\w+ )?method|wrong type for (?:\w+ )?method
           |method \w+ has pointer receiver)
  sample   cannot use Square{} as Shape value in variable declaration: Square does not implement Shape
            (missing method Area)
go missing_symbol strict build
  pattern  no required module provides package ([^\s;]+)|does not contain package ([^\s;]+)
           |package ([^\s;]+) is not in (?:GOROOT|std)|cannot find (?:package
           |module providing package) \"?([^\s\"]+)
  sample   package x/y is not in GOROOT (/usr/lib/go/src/x/y)
go syntax build
  pattern  syntax error|missing condition|expected .* found|declared (?:but|and) not used|imported (?:but
           |and) not used|missing return|expected '
  sample   syntax error: unexpected newline
go exception types build
  pattern  cannot use |mismatched types|invalid operation|\) truncated to \w
  sample   cannot use 1 as string value
go missing_symbol
  pattern  ^(?:test )?panic(?:ked)?:.*\b(?:not (?:yet )?implemented|TODO|unimplemented)\b
  sample   panic: not implemented
go exception
  pattern  ^(?:test )?panic(?:ked)?:
  sample   panic: assignment to entry in nil map [recovered]

rust missing_symbol
  pattern  unresolved imports? `((?:crate|self|super)\b[^`]*)`
  sample   E0432: unresolved import `crate::sub`
rust missing_symbol strict
  pattern  unresolved imports? `([^`]+)`
  sample   E0432: unresolved import `x::sub`
rust missing_symbol strict build
  pattern  cannot find (?:\w+ )*`\w+` in (?:crate |module )?`(?!crate\b|self\b|super\b)(\w[\w:]*)`
           |can't find crate for `(\w+)`
  sample   E0425: cannot find function `double` in crate `kata`
rust missing_symbol build
  pattern  use of undeclared type|cannot find type|cannot find struct|cannot find trait|cannot find function
           |cannot find tuple|cannot find value `[A-Z]|E0412\b|could not find `\w+` in `(?:crate|self|super)
  sample   E0425: cannot find function `sub` in this scope
rust missing_symbol strict
  pattern  could not find `\w+` in `(\w+)`|(?:undeclared crate or module|unresolved module or unlinked crate
           |undeclared module) `(\w+)`
  sample   E0433: failed to resolve: use of undeclared crate or module `nope`
rust missing_symbol type build
  pattern  no (?:method|function or associated item|associated item|variant|variant or associated item
           |field)(?: named)? `\w+` (?:found|on)[^`]*`([^`]+)`
  sample   E0599: no method named `peek` found for struct `Stack` in the current scope
rust missing_symbol type build
  pattern  the trait bound `([^`:]+): [^`]*` is not satisfied|`([^`]+)` doesn't implement `
           |binary operation `[^`]+` cannot be applied to type `([^`]+)`|cannot (?:add|subtract|multiply
           |divide|calculate)[^`]{0,60} `([^`]+)`(?: (?:to|from|by) `([^`]+)`)?
  sample   E0369: binary operation `==` cannot be applied to type `Money`
rust missing_symbol type build
  pattern  struct `([^`]+)` has no field|variant .* has no field
  sample   E0560: struct `Stack` has no field named `size`
rust missing_symbol build
  pattern  E0061|takes \d+ (?:arguments?|generic)|is private
  sample   E0061: this function takes 2 arguments but 1 argument was supplied
rust exception types build
  pattern  E0308|mismatched types
  sample   E0308: mismatched types
rust syntax build
  pattern  expected .*, found|unclosed delimiter|unexpected closing|unterminated|expected (?:one of
           |identifier|expression)|mismatched closing
  sample   expected pattern, found `=`
rust missing_symbol stub
  pattern  not (?:yet )?implemented
  sample   not yet implemented
rust assertion
  pattern  assertion .*failed|test did not panic as expected
  sample   assertion `left == right` failed
rust assertion asserted
  pattern  called `(?:Option|Result)::(?:unwrap|expect)\w*\(\)` on an? `\w+` value(?!: (?:Os|Custom
           |\w*Utf8\w*|(?:Parse|TryFrom|AddrParse|Recv|Send|Poison|Borrow|Var|SystemTime|Layout)\w*
           |NotPresent)\b)
  sample   called `Result::unwrap()` on an `Err` value: NoSuchUser
rust timeout
  pattern  timed out
  sample   timed out
rust exception
  pattern  \S
  sample   index out of bounds: the len is 0 but the index is 0
"""),
    *MORE,
)
