"""RED's reasons: Java, Ruby, PHP, C, Perl, Lua, Elixir, shell, C# and Swift."""

from __future__ import annotations

from tdd_orchestrator.runners.reason_owners import reason_rows

ROWS = reason_rows(r"""
java assertion
  pattern  \A(?:[\w.$]+: )?(?:[^\n]{0,300} ==> )?expected: ?<|\A[\w.$]*(?:AssertionFailedError|AssertionError
           |ComparisonFailure): \s*[Ee]xpect(?:ed|ing)\b
  sample   org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
java missing_symbol strict build
  pattern  package ([\w.]+) does not exist
  sample   package com.acme.stack does not exist
java missing_symbol strict build
  pattern  cannot find symbol[\s\S]{0,200}?location:\s+package ([\w.]+)
  sample   cannot find symbol\n  symbol:   class Twice\n  location: package com.acme
java missing_symbol type build
  pattern  cannot find symbol(?:[\s\S]{0,200}?location:\s+variable \w+ of type (\w+))
  sample   cannot find symbol\n  symbol:   method peek()\n  location: variable s of type Stack
java exception build
  pattern  cannot find symbol[\s\S]{0,80}?symbol:\s+method [\s\S]{0,200}?location:\s+class \S*(?:Tests?
           |TestCase|IT|Spec)$
  sample   cannot find symbol\n  symbol:   method helper()\n  location: class com.acme.TwiceTest
java exception build
  pattern  cannot find symbol[\s\S]{0,80}?symbol:\s+variable [a-z]
  sample   cannot find symbol\n  symbol:   variable whatever\n  location: class ATest
java missing_symbol build
  pattern  cannot find symbol(?:[\s\S]{0,80}?symbol:\s+\w+ (\w+))?|cannot be applied to given types
           |no suitable (?:method|constructor)|has private access|[Uu]nresolved reference
  sample   cannot find symbol\n  symbol: class Queue
java syntax build
  pattern  ' expected|<identifier> expected|illegal start of|reached end of file|not a statement|unclosed
           |class, interface|expecting␣
  sample   ';' expected
java exception types build
  pattern  incompatible types|incomparable types|bad operand types|[Tt]ype mismatch
  sample   incompatible types: int cannot be converted to String
java exception build
  pattern  unreported exception
  sample   unreported exception IOException; must be caught or declared to be thrown
java timeout
  pattern  timed out after|TestTimedOutException|execution timed out
  sample   test timed out after 100 milliseconds
java fixture
  pattern  ParameterResolutionException|Failed to load ApplicationContext
  sample   ParameterResolutionException: No resolver
java assertion
  pattern  AssertionFailedError|AssertionError|ComparisonFailure|MultipleFailuresError|ConditionNotSatisfied
           |^expected: ?<|Wanted but not invoked
  sample   java.lang.AssertionError: no
java missing_symbol stub
  pattern  (?:UnsupportedOperation|NotImplemented)\w*.*\b[Nn]ot (?:yet )?implemented|NotImplementedError
           |UnsupportedOperationException$
  sample   java.lang.UnsupportedOperationException: not implemented
java exception
  pattern  (?:Exception|Error)\b
  sample   java.lang.NullPointerException

ruby assertion
  pattern  \A(?:RSpec::Expectations::ExpectationNotMetError|Minitest::Assertion)\b|\A(?:[Ee]xpected\b
           |--- expected$|[^\n]{1,300} expected but nothing was raised)
  sample   expected: 4\ngot: 3
ruby syntax
  pattern  SyntaxError|syntax error
  sample   SyntaxError: spec/a_spec.rb:5: syntax error, unexpected `end'
ruby missing_symbol import
  pattern  cannot load such file -- ([^\s]+)
  sample   LoadError: cannot load such file -- lib/nope
ruby timeout
  pattern  Timeout::Error|execution expired
  sample   Timeout::Error: execution expired
ruby fixture
  pattern  before\(:(?:each|all|suite|context)\) hook|error occurred in an? `(?:before|after)
  sample   An error occurred in a `before(:context)` hook.
ruby missing_symbol module
  pattern  uninitialized constant (?:\w*Test::|RSpec::ExampleGroups::\w+::)?([\w:]+)
  sample   NameError: uninitialized constant Queue2
ruby exception
  pattern  undefined local variable or method
  sample   NameError: undefined local variable or method `foo' for #<RTest>
ruby missing_symbol
  pattern  undefined method [`']\S+' for (?:an instance of |#<)(?:RSpec::ExampleGroups|\w*Test\b)
  sample   NoMethodError: undefined method `sub' for #<RSpec::ExampleGroups::Sum>
ruby missing_symbol type
  pattern  undefined method [`']\S+' for (?:an instance of |class |#<|module )?([\w:]+)
  sample   NoMethodError: undefined method `peek' for #<Stack:0x00007f76>
ruby missing_symbol
  pattern  ArgumentError: (?:wrong number of arguments|unknown keywords?|missing keywords?)
  sample   ArgumentError: wrong number of arguments (given 1, expected 2)
ruby missing_symbol stub
  pattern  NotImplementedError
  sample   NotImplementedError: push
ruby exception
  pattern  \A(?!\S*Assertion)(?:\w+::)*\w*(?:Error|Exception):␣
  sample   RuntimeError: expected a number
ruby assertion
  pattern  ExpectationNotMet|Minitest::Assertion|AssertionFailedError|[Ee]xpected|\bgot: |to eq|did not
            |<[^\s<]+> was expected|Failed assertion
  sample   Failed assertion, no message given.

php assertion
  pattern  \A(?:[\w\\]+: )?Failed asserting
  sample   Failed asserting that 3 is identical to 4.
php syntax
  pattern  ParseError|syntax error, unexpected
  sample   ParseError: syntax error, unexpected token ";"
php unknown
  pattern  RiskyTestError|did not perform any assertions
  sample   This test did not perform any assertions
php assertion
  pattern  ExpectationFailedException|AssertionFailedError|Failed asserting
  sample   PHPUnit\Framework\AssertionFailedError: no
php exception
  pattern  undefined method (?:\w+\\)*\w*Test::
  sample   Error: Call to undefined method RTest::helper()
php missing_symbol namespaced
  pattern  (?:Class|Interface|Trait|Enum|Class or interface) [\"']([\w\\]+)[\"'] (?:not found|does not exist)
           |undefined method ([\w\\]+)::
  sample   Error: Class "Queue2" not found
php missing_symbol
  pattern  undefined function|Undefined constant|Unknown named parameter|Too (?:few
           |many) arguments to function|[Uu]ndefined property: (?!stdClass)|Cannot access (?:private
           |protected) (?:property|const)|Call to (?:private|protected)␣
  sample   Error: Call to undefined function sub()
php missing_symbol
  pattern  Failed opening required|Failed to open stream: No such file
  sample   Failed opening required 'src/nope.php'
php missing_symbol stub
  pattern  [Nn]ot (?:yet )?implemented
  sample   LogicException: not implemented
php timeout
  pattern  aborted after \d+ seconds|timed out
  sample   This test was aborted after 1 seconds

c assertion
  pattern  \A(?:Expected\b|Value of: )
  sample   Expected equality of these values:\n  status()\n    Which is: Timeout
c syntax build
  pattern  expected [^\n]{0,200}?(?:before|after|at end of|;)|stray |missing terminating|unterminated
           |expected (?:expression|unqualified-id|'[;)}])
  sample   error: expected ';' before '}' token
c missing_symbol module build
  pattern  (?:member named|no member named) ['‘`]\w+['’`] in (?:namespace )?['‘`]([\w:]+)
  sample   error: no member named 'peek' in 'Stack'
c missing_symbol module build
  pattern  ['‘`](?:(?:class|struct|const) )*([\w:]++)[^'’`‘\n]*+['’] has no member named
  sample   error: 'class Stack' has no member named 'peek'
c missing_symbol header build
  pattern  (?:^|fatal error: )([\w/.+-]+): No such file|['\"]([\w/.+-]+)['\"] file not found
  sample   fatal error: queue.h: No such file or directory
c missing_symbol module build
  pattern  ['‘`](\w+)['’`] (?:was not declared|undeclared|is not a member of)|undeclared identifier ['‘](\w+)
           |implicit declaration of function ['‘](\w+)|call to undeclared function ['‘](\w+)
           |undefined reference to [`'‘](\w+)|unknown type name ['‘](\w+)|undefined symbols?
           |no matching (?:function|member)|too (?:many|few) arguments|does not name a type
           |has not been declared
  sample   error: 'sub' was not declared in this scope
c exception types build
  pattern  cannot convert|could not convert|invalid conversion from|no match for ['‘`]operator
           |invalid operands to binary expression
  sample   error: cannot convert 'std::string' to 'int' in initialization
c timeout
  pattern  Timeout|timed out
  sample   ***Timeout 1.00 sec
c exception
  pattern  unexpected exception|exception with description|thrown in|SIG[A-Z]{3,}|[Ss]egmentation
           |Unknown C\+\+ exception
  sample   C++ exception with description "boom" thrown in the test body.

perl missing_symbol import
  pattern  Can't locate (\S+)\.p[lm] in @INC
  sample   Can't locate Acme/Double.pm in @INC (you may need to install)
perl missing_symbol module
  pattern  Can't locate object method \"\w+\" via package \"([\w:]+)\"
  sample   Can't locate object method "shout" via package "Greet"
perl missing_symbol
  pattern  Undefined subroutine &main::(\w+) called
  sample   Undefined subroutine &main::shout called
perl missing_symbol module
  pattern  Undefined subroutine &([\w:]+)::\w+ called|\"\w+\" is not exported by the ([\w:]+) module
  sample   Undefined subroutine &Greet::shout called
perl missing_symbol module
  pattern  (?:Not enough|Too many|Too few) arguments for (?:subroutine '|main::)?([\w:]+)
  sample   Too many arguments for Greet::greet
perl syntax build
  pattern  syntax error|Can't find string terminator|Missing right curly|Unmatched |where operator expected
           |not allowed while \"strict subs\"
  sample   syntax error
perl exception
  pattern  requires explicit package name|Can't call method|Can't use␣
  sample   Global symbol "$nope" requires explicit package name

lua assertion
  pattern  \A[Ee]xpected\b
  sample   Expected objects to be equal.\nPassed in:\n(string) 'attempt to index a nil value'
lua missing_symbol import
  pattern  module '([^']+)' not found
  sample   module 'kata.double' not found:
lua syntax
  pattern  unexpected symbol near|expected (?:\(to close .*\) )?near|<eof>|unfinished (?:string|long)
           |malformed number
  sample   unexpected symbol near '}'
lua missing_symbol call
  pattern  attempt to call (?:a nil value \()?(?:global|field|method|local|upvalue) '(\w+)'
  sample   attempt to call field 'double' (a nil value)
lua exception
  pattern  attempt to (?:call|index|perform|compare|concatenate)
  sample   attempt to index local 'x' (a nil value)

elixir assertion
  pattern  \A(?:Assertion (?:with|failed)|Expected\b|match \(=\) failed|Wrong message for )
  sample   Expected exception SyntaxError but nothing was raised
elixir syntax
  pattern  SyntaxError|TokenMissingError|MismatchedDelimiterError
  sample   SyntaxError: unexpected token: }
elixir timeout
  pattern  ExUnit\.TimeoutError|test timed out after
  sample   ExUnit.TimeoutError: test timed out after 100ms
elixir missing_symbol module
  pattern  function ([A-Z][\w.]*)\.\w+[!?]?/\d+ is undefined
  sample   function Double.double/1 is undefined (module Double is not available)
elixir missing_symbol module
  pattern  \b([A-Z][\w.]{0,200}?)\.__struct__/[01] is undefined|module ([A-Z][\w.]*) is not (?:loaded
           |available)
  sample   Money.__struct__/1 is undefined, cannot expand struct Money
elixir missing_symbol
  pattern  undefined function (\w+[!?]?)/[1-9]
  sample   undefined function double/1 (expected DoubleTest to define such a function or for it to be
            imported)
elixir exception
  pattern  undefined (?:function|variable)
  sample   undefined variable "nope"

shell assertion
  pattern  \A`\[[^\n]*(?:syntax error|unexpected e|unbound variable|bad substitution|Permission denied
           |No such file|not found)[^\n]*' failed$
  sample   `[ "$output" = "syntax error" ]' failed
shell syntax
  pattern  syntax error|unexpected EOF while looking|unexpected end of file
  sample   test/double.bats: line 10: syntax error near unexpected token `)'
shell missing_symbol script
  pattern  Could not find '([^']+)'
  sample   bats_load_safe: Could not find 'test/../lib/double.sh'[.bash]
shell missing_symbol script
  pattern  (?:^|: )([^\s:]+): No such file or directory
  sample   test/double.bats: line 9: lib/none.sh: No such file or directory
shell missing_symbol script
  pattern  (?:^|: )cannot open (?:\./)?([^\s:]+): No such file
  sample   test/double.sh: 1: .: cannot open ./double.sh: No such file
shell missing_symbol script
  pattern  (?:^|: )([^\s:]+): (?:command )?not found
  sample   test/double.bats: line 2: double: command not found
shell exception
  pattern  unbound variable|bad substitution|Permission denied
  sample   test/double.bats: line 3: nope: unbound variable
shell fixture
  pattern  from function [`']setup
  sample   (from function `setup' in test file test/double.bats, line 1)

csharp missing_symbol within build
  pattern  The type or namespace name ['`](\w+)' does not exist in the namespace ['`]([\w.]+)'
  sample   CS0234: The type or namespace name 'Maths' does not exist in the namespace 'Acme'
csharp missing_symbol module build
  pattern  The type or namespace name ['`](\w+)' could not be found
  sample   CS0246: The type or namespace name 'Twice' could not be found (are you missing a using directive
            or an assembly reference?)
csharp missing_symbol build
  pattern  The name ['`][A-Z]\w*' does not exist in the current context
  sample   CS0103: The name 'Twice' does not exist in the current context
csharp exception build
  pattern  The name ['`]\w+' does not exist in the current context
  sample   CS0103: The name 'whatever' does not exist in the current context
csharp missing_symbol type build
  pattern  ['`]([\w.]+)' does not contain a definition for|[Tt]ype ['`]([\w.]+)' does not contain a definition
  sample   CS0117: 'Greet' does not contain a definition for 'Shout'
csharp missing_symbol build
  pattern  No overload for method|does not contain a constructor that takes
           |is inaccessible due to its protection level
  sample   CS1501: No overload for method 'Of' takes 2 arguments
csharp exception types build
  pattern  \bCS(?:0019|0029|0266|1503)\b|[Cc]annot (?:implicitly )?convert (?:type|from)
  sample   CS0029: Cannot implicitly convert type 'int' to 'string'
csharp syntax build
  pattern  \bCS(?:1[0-9]{3}|8[0-9]{3})\b|expected$|Unexpected symbol
  sample   CS1002: ; expected
csharp missing_symbol stub
  pattern  NotImplementedException
  sample   System.NotImplementedException : The method is not implemented.
csharp assertion
  pattern  AssertionException|Expected: |Assert\.|XunitException|AssertFailedException
  sample   Expected: 4\n  But was:  5
csharp exception
  pattern  \wException\b
  sample   System.NullReferenceException : Object reference not set

# Any type may be extended, so a missing member of a built-in type may be the project's.
swift assertion asserted
  pattern  \A(?:XCT\w+ failed\b|failed(?: - |$)|Expectation failed\b|Issue recorded\b
           |Confirmation was confirmed )
  sample   XCTAssertEqual failed: ("4") is not equal to ("5")
swift timeout
  pattern  \A(?:Time limit was exceeded|Asynchronous wait failed)
  sample   Time limit was exceeded: 60.000 seconds
swift syntax build
  pattern  \A(?:expected |extraneous '|consecutive |unterminated |unbalanced |invalid character
            |keyword '\w+' cannot be used|statements are not allowed|to match this opening
           |found an unexpected)
  sample   expected ',' separator
swift missing_symbol module build
  pattern  \Ano such module '([^']+)'
  sample   no such module 'Shop'
swift missing_symbol module build
  pattern  \Amodule '([^']+)' has no member named␣
  sample   module 'Kata' has no member named 'triple'
swift exception build
  pattern  \Acannot find '(?:XCT\w+|expect|require)' in scope|\A(?:no macro named|expansion of macro)␣
  sample   cannot find 'XCTAssertEquals' in scope
swift missing_symbol module build
  pattern  \Acannot find (?:type |operator )?'([^']+)' in scope
  sample   cannot find 'triple' in scope
swift missing_symbol build
  pattern  \A(?:value of (?:\w+ )?type|(?:\w+ )?type) '.{0,300}' has no (?:\w+ )?(?:member|subscripts)
           |\A'[^']+' is not a member type of|\Acannot call value of non-function type
  sample   value of type 'Money' has no member 'currency'
swift missing_symbol build
  pattern   to conform to '| requires that '[^']+' (?:conform to|inherit from|be a class)
            |does not conform to (?:protocol|expected type) '|\Abinary operator '[^']+' cannot be applied
  sample   global function 'XCTAssertEqual(_:_:_:file:line:)' requires that 'Money' conform to 'Equatable'
swift missing_symbol build
  pattern  \A(?:extra(?:neous)? arguments? |missing arguments? |incorrect argument labels?
            |argument passed to call that takes no arguments|no exact matches in call)|\binaccessible due to '
  sample   extra argument 'by' in call
# consequences of a missing name
swift missing_symbol build
  pattern  \A(?:cannot infer contextual base|reference to member '\w+' cannot be resolved)
  sample   cannot infer contextual base in reference to member 'empty'
swift missing_symbol stub
  pattern  \bnot (?:yet )?implemented\b
  sample   Kata/Kata.swift:4: Fatal error: not implemented
swift exception types build
  pattern  \Acannot (?:convert|assign) value of type
  sample   cannot convert value of type 'Int' to expected argument type 'String'
swift exception
  pattern  \S
  sample   generic parameter 'T' could not be inferred
""")
