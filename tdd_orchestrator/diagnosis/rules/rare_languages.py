"""Rules for compilers and interpreters by the form of their output: a place and ``error``, or a crash."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
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
