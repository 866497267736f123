"""Rules for compilers of C, C++, Rust, Go, Java, C#, Swift, and for parsers of scripting languages."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family build routing=build-error error=build category=SEMANTIC severity=MEDIUM weight=60
family syntax build error=syntax severity=LOW weight=72
family type build error=type weight=66
family missing build error=dependency category=DEPENDENCY weight=75
missing c-missing-header
  words    : fatal error:␣  |  : schwerwiegender Fehler:␣  |  : error fatal:␣
  pattern  : (?:fatal error|schwerwiegender Fehler|error fatal): .*(?:No such file|file not found
           |Datei oder Verzeichnis|No existe)
  sample   src/main.c:1:10: fatal error: zlibx.h: No such file or directory\n    1 | #include <zlibx.h>
syntax c-syntax
  words    expected␣  |  stray␣  |  missing terminating  |  unterminated  |  extraneous  |  erwartet
             |  se esperaba
  pattern  \.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm)(?::\d+)+: (?:fatal )?(?:error|Fehler|erreur)\s?: .*(?:expected
           |stray|missing terminating|unterminated|extraneous|erwartet|se esperaba)
  sample   src/main.c:3:13: error: expected ‘;’ before ‘}’ token
type c-type
  words    error:␣  |  Fehler:␣  |  erreur
  pattern  \.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm)(?::\d+)+: (?:fatal )?(?:error|Fehler
           |erreur)\s?: .*(?:incompatible|cannot convert|invalid conversion|no matching|too (?:few
           |many) arguments|conflicting types|invalid operands|could not convert|no viable|has no member
           |no member named|makes \w+ from|discards|static assertion|no type named|cannot initialize
           |not a structure|does not name a type|unknown type name|candidate|invalid use|assigning to|passing)
  sample   src/main.cpp:3:11: error: invalid conversion from ‘const char*’ to ‘int’ [-fpermissive]
build c-compile
  words    : error:␣  |  : Fehler:␣  |  : erreur:␣  |  : fatal error:␣
  pattern  \.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm)(?::\d+)+: (?:fatal )?(?:error|Fehler|erreur)\s?:␣
  sample   src/main.c:2:10: error: ‘count’ undeclared (first use in this function)
build linker weight=65
  words    undefined reference to  |  ld returned  |  linker command failed  |  multiple definition of
             |  cannot find -l  |  linking with `cc` failed  |  symbol not found  |  duplicate symbol
             |  undefined symbol  |  Nicht definierter Verweis  |  referencia a  |  unresolved external
             |  Assembler messages  |  can't create
  pattern  undefined reference to|ld returned \d|linker command failed|multiple definition of|cannot find -l
           |linking with `\w+` failed|duplicate symbol|ld(?:\.lld)?: error|Nicht definierter Verweis
           |referencia a «.*» sin definir|unresolved external|^Fatal error: can't create|Assembler messages
  sample   /usr/bin/ld: /tmp/ccX.o: in function `main':\nmain.c:(.text+0xa): undefined reference to `total'\n
           collect2: error: ld returned 1 exit status
missing linker-missing-library weight=76
  words    cannot find -l  |  unable to find library -l  |  library not found for -l
  sample   /usr/bin/ld: cannot find -lshopkit: No such file or directory\n
           collect2: error: ld returned 1 exit status
missing rust-missing-crate
  words    can't find crate  |  unresolved import  |  use of undeclared crate or module
             |  use of unresolved module  |  E0463  |  file not found for module
  pattern  ^error\[E0(?:432|433|463|583)\]
  sample   error[E0432]: unresolved import `serdex`\n --> src/main.rs:1:5\n  |\n1 | use serdex::X;
type rust-type
  words    error[E
  pattern  ^error\[E0\d{3}\]
  sample   error[E0308]: mismatched types\n --> src/main.rs:2:18\n  |\n2 |     let x: i32 = "a";
syntax rust-syntax
  words    error: expected  |  error: unexpected  |  error: unknown start of token
             |  error: this file contains an un  |  error: mismatched closing  |  error: unterminated
             |  error: missing  |  error: unclosed  |  error: invalid
  pattern  ^error(?:\[E0(?:758|765)\])?: (?:expected|unexpected|unknown start|this file contains
           |mismatched closing|unterminated|missing|unclosed|invalid)
  needs    ␣-->␣
  sample   error: expected `;`, found `}`\n --> src/main.rs:2:14\n  |\n2 |     let x = 1\n
build rust-compile weight=58
  words    error: could not compile  |  error: cannot find macro  |  error: aborting due to
             |  error: proc macro  |  error: failed to run custom build command  |  error:␣
  pattern  ^error: (?:could not compile|cannot find|aborting due|proc macro|failed to run custom build|unused
           |literal out|lifetime|this|the |no |.{1,200})$
  needs    \n -->␣  |  \n  -->␣  |  \n   -->␣  |  could not compile `  |  custom build command
  sample   error: cannot find macro `printl` in this scope\n --> src/main.rs:2:5\n  |\n
missing go-missing-package
  words    is not in std  |  is not in GOROOT  |  cannot find package
             |  no required module provides package  |  cannot find module  |  missing go.sum entry
             |  unknown revision  |  module declares its path as  |  no Go files in
             |  go.mod file not found  |  is not in your go.mod
  pattern  is not in (?:std|GOROOT)|cannot find package \"|no required module provides
           |cannot find (?:main )?module|missing go\.sum|@\S+: .{0,120}unknown revision|declares its path as
           |no Go files in|go\.mod file not found|not in your go\.mod
  sample   main.go:3:8: package shop/rates9 is not in std (/usr/lib/go/src/shop/rates9)
syntax go-syntax
  words    .go:
  pattern  \.go:\d+:\d+: (?:syntax error|expected |missing return|illegal|string literal not terminated
           |invalid character|newline in string|unexpected|non-declaration)
  sample   ./main.go:4:9: syntax error: unexpected newline, expected expression
type go-type
  words    .go:
  pattern  \.go:\d+(?::\d+)?: (?:cannot use|invalid operation|mismatched types|too many arguments
           |not enough arguments|assignment mismatch|cannot convert|impossible type|invalid argument
           |.* has no field or method|.*undefined \(type|first argument|too many return|not enough return
           |.*does not (?:implement|satisfy)|cannot assign|cannot infer|invalid recursive|non-boolean
           |.*truncated|.*overflows)
  sample   ./main.go:4:14: cannot use "a" (untyped string constant) as int value in variable declaration
build go-compile zone=free
  words    .go:  |  [build failed]  |  import cycle not allowed
  pattern  ^(?:vet: )?\.{0,2}/?[\w./-]+\.go:\d+:\d+: (?!Error)|\[build failed\]|import cycle not allowed
  sample   ./main.go:3:2: undefined: total
  sample   # shop\n./main.go:5:2: declared and not used: x
missing java-missing-package
  words    does not exist  |  cannot access  |  cannot be resolved  |  unresolved reference
  pattern  (?:error|ERROR).*package [\w.]+ does not exist|^e: .*[Uu]nresolved reference: (?:org|com|io)\b
           |class file for .* not found|module not found:␣
  sample   src/main/java/App.java:1: error: package org.shopx does not exist\nimport org.shopx.Cart;
syntax java-syntax
  words    expected  |  illegal start  |  reached end of file  |  unclosed  |  not a statement
             |  illegal character  |  without 'if'  |  class, interface
  pattern  \.java:(?:\d+: error:|\[\d+,\d+\]) .*(?:expected|illegal (?:start|character)|reached end of file
           |unclosed|not a statement|'else' without|'catch' without)
  sample   src/App.java:3: error: ';' expected\n    int x = 1
type java-type
  words    incompatible types  |  cannot be applied  |  bad operand types  |  unreported exception
             |  no suitable  |  is not abstract  |  incomparable types
             |  might not have been initialized  |  has private access  |  cannot be converted
             |  cannot be dereferenced  |  non-static
  pattern  \.java:(?:\d+: error:|\[\d+,\d+\])␣
  sample   src/App.java:3: error: incompatible types: String cannot be converted to int
build java-compile
  words    .java:  |  COMPILATION ERROR  |  Compilation failed  |  compileJava  |  cannot find symbol
             |  maven-compiler-plugin
  pattern  \.java:(?:\d+: error:|\[\d+,\d+\] )|COMPILATION ERROR|Compilation (?:failed|failure)
           |compile(?:Test)?Java FAILED
  sample   src/App.java:3: error: cannot find symbol\n    foo();\n    ^\n  symbol:   method foo()
build jvm-other-compile weight=48
  words    e:␣  |  .scala:  |  .kt:  |  .groovy:  |  BUILD FAILED  |  BUILD FAILURE
             |  Execution failed for task
  pattern  ^e: |\.(?:kt|kts):\d+:\d+:? error: |\.scala:\d+(?::\d+)?: error|-- \[E\d+\]|\.groovy: \d+:
           |Could not compile build file|BUILD FAIL(?:ED|URE)|Execution failed for task
  sample   src/main/kotlin/App.kt:3:5: error: unresolved reference: total
syntax csharp-syntax
  words    error CS1
  pattern  error CS1(?:00[123]|026|513|514|519|525|528|529|056|073|010|039)\b
  sample   /repo/Program.cs(3,9): error CS1002: ; expected [/repo/shop.csproj]
type csharp
  words    error CS  |  error FS  |  error VB  |  error MSB  |  error NETSDK
  pattern  error (?:CS|FS|VB|MSB|NETSDK|NU)\d{4}
  sample   /repo/Program.cs(3,9): error CS0029: Cannot implicitly convert type 'string' to 'int'
            [/repo/shop.csproj]
build other-compilers
  words    .swift:  |  .hs:  |  .zig:  |  .dart:  |  .nim(  |  .ml"  |  .v:  |  .d(  |  .cr:
             |  Parse error  |  .erl:  |  .f90:  |  .proto:  |  .tf line
  pattern  \.(?:swift|zig|dart|f90|proto):\d+:\d+: (?:error|Error)|\.hs:\d+:\d+: error|\.dart:\d+:\d+: Error
           |File \"[^\"]+\.ml\", line \d+|\.nim\(\d+, \d+\) Error|\.erl:\d+:\d+: |In \w+\.cr:\d+:\d+
  sample   Sources/App/main.swift:3:14: error: cannot find 'total' in scope
syntax python-syntax weight=74
  words    SyntaxError  |  IndentationError  |  TabError
  pattern  ^(?:Sorry: )?(?:SyntaxError|IndentationError|TabError)(?:: |$)
  needs    .py  |  File "  |  python
  sample     File "/repo/app/main.py", line 3\n    def total(\n             ^\n
           SyntaxError: '(' was never closed
syntax script-syntax
  words    syntax error  |  Syntax error  |  Parse error  |  Parse error  |  SyntaxError
             |  TokenMissingError  |  syntax errors found  |  unterminated string
             |  mismatched delimiter  |  unexpected expression after keyword  |  Syntaxfehler
             |  unexpected end of file  |  error sintáctico  |  '<eof>' expected  |  near '
             |  missing separator  |  invalid syntax  |  unexpected reserved word
             |  unterminated quoted string
  pattern  ^(?:PHP )?Parse error: |PHP Parse error|syntax errors? found|^syntax error
           |\.rb:\d+: .*syntax error|: syntax error|\(SyntaxError\)|\*\* \((?:TokenMissingError|SyntaxError
           |MismatchedDelimiterError)\)|(?:Zeile|line|línea) \d+: (?:Syntaxfehler|syntax error
           |error sintáctico|unexpected E)|\.pl line \d+, near|at \S+ line \d+, near \"|\.lua:\d+: .*near
           |Syntax error: |unterminated string|missing separator|unterminated quoted string|SyntaxError\.$
           |(?:line|Zeile|línea|ligne) \d+: .{0,60}unexpected end of file|Dateiende
  sample   deploy.sh: line 4: syntax error near unexpected token `fi'
  sample   PHP Parse error:  syntax error, unexpected token "}" in /repo/app.php on line 3
  sample   syntax error at app.pl line 3, near "}"
  sample   ** (TokenMissingError) app.exs:5:1: missing terminator: end (for "do" starting at line 1)
build ts-assignability error=type weight=63
  words    is not assignable
  pattern  ^\W*(?:error:? )?(?:Type|Argument of type) '[^']+' is not assignable\b
  sample   Type 'string' is not assignable
build elixir-compile weight=64
  words    ** (CompileError)  |  == Compilation error  |  undefined function  |  cannot compile module
  pattern  \*\* \(CompileError\)|== Compilation error|error: undefined (?:function|variable)
           |cannot compile module
  sample   ** (CompileError) app.exs:2: undefined function total/1 (there is no such import)
build perl-compile weight=64
  words    Global symbol  |  Execution of  |  Bareword "
  pattern  ^Global symbol \"|^Bareword \"|aborted due to compilation errors
  sample   Global symbol "$x" requires explicit package name (did you forget to declare "my $x"?) at app.pl
            line 3.
build build-driver weight=30
  words    make: ***  |  make[  |  CMake Error  |  ninja:␣  |  No rule to make target  |  Keine Regel
             |  meson.build:  |  Unknown target  |  scons:  |  configure: error
             |  ERROR: failed to solve  |  failed to build
  pattern  make(?:\[\d+\])?: \*\*\*|CMake Error|ninja: (?:error|build stopped)|No rule to make target
           |meson\.build:\d+.*ERROR|configure: error|failed to solve
  sample   make: *** No rule to make target 'app.o', needed by 'app'.  Stop.
"""
)
