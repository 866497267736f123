"""Rules for compilers and interpreters by the form of their output: a place and ``error``, or a crash."""

from __future__ import annotations

from functools import partial

from tdd_orchestrator.diagnosis.rules.row import Rule, Zone
from tdd_orchestrator.model.diagnosis import Category, ErrorType, RoutingType, Severity

_build = partial(
    Rule,
    routing=RoutingType.BUILD,
    error=ErrorType.BUILD,
    category=Category.SEMANTIC,
    severity=Severity.MEDIUM,
    weight=63,
    zone=Zone.FREE,
)
_syntax = partial(_build, error=ErrorType.SYNTAX, severity=Severity.LOW)
_crash = partial(
    Rule,
    routing=RoutingType.RUNTIME,
    error=ErrorType.LOGIC,
    category=Category.LOGIC,
    severity=Severity.MEDIUM,
    weight=53,
    zone=Zone.FREE,
)
_AT = (
    r"^(?:\w+: )?\S{1,200}?\.\w{1,9}(?::\d+(?:[.:]\d+)?(?:-\d+(?:\.\d+)?)?"
    r"|\(\d+(?:,\d+)?\))(?: ?:)? (?:[Ff]atal )?(?:[Ee]rror|ERROR)\b:? "
)

# fmt: off
RULES = (
    _syntax(
        "any-compiler-syntax",
        words=("rror: ", "rror "),
        pattern=_AT + (
            r".*(?:missing [\"'‘`]?[;,:)\]}]|\b[Ss]yntax [Ee]rror|[Pp]arse error|\b[Uu]nexpected\b"
            r"|[Uu]nterminated|\bexpected [\"'‘`]?[;:,(){}\[\]])"
        ),
        weight=64,
        samples=('main.adb:2:20: error: missing ";"',
            (
                "main.pas(4,1) Fatal: Syntax error, \";\" expected but \"END\" found\n"
                "main.pas(4,2) Error: Syntax error"
            )),
    ),
    _build(
        "any-compiler-type",
        words=("rror: ", "rror "),
        pattern=_AT + (
            r".*(?:[Ii]ncompatible types?\b|[Tt]ype mismatch|[Cc]annot (?:implicitly )?convert"
            "|expected type|mismatched types|[Ww]rong type)"
        ),
        error=ErrorType.TYPE,
        weight=64,
        samples=('app.d(2): Error: cannot implicitly convert expression `"x"` of type `string` to `int`',
            'main.pas(4,8) Error: Incompatible types: got "Char" expected "SmallInt"'),
    ),
    _build(
        "any-compiler",
        words=("rror: ", "rror "),
        pattern=_AT,
        weight=43,
        samples=("app.d(2): Error: undefined identifier `totl`",
            "app.vala:2.3-2.6: error: The name `totl' does not exist in the context of `main'"),
    ),
    _build(
        "missing-module-of-a-compiler",
        words=("Could not find module", "cannot find module", "Unbound module", "can't find file: ",
            "Can't find unit ", "open source file", "could not load unit", "import file not found",
            "collection not found", "can't find package ", "no such module '", "is in file `",
            "cannot open file: "),
        pattern=(
            r"^\s*Could not find module [‘'`]|^Error: Unbound module |can't find file: "
            "|error: no such module '|: collection not found$|^can't find package |Can't find unit "
            r"|Cannot open module file|\.nims?\(\d+, \d+\) Error: cannot open file: "
            r"|is in file `[^`]+' which cannot be read|:\d+: error: file \"[^\"]+\" not found$"
        ),
        error=ErrorType.DEPENDENCY,
        category=Category.DEPENDENCY,
        weight=75,
        samples=((
            "App.hs:1:1: error:\n    Could not find module ‘Data.Rates’\n    Perhaps you meant\n"
            "      Data.Ratio (from base-4.15.1.0)"
        ),),
    ),
    _build(
        "fortran",
        words=("Error: ",),
        pattern=r"^(?:Fatal )?Error: .{1,300} at \(\d\)",
        samples=((
            "src/main.f90:3:3:\n\n    3 |   x = 1\n      |   1\n"
            "Error: Symbol ‘x’ at (1) has no IMPLICIT type"
        ),),
    ),
    _syntax(
        "erlang-and-prolog-syntax",
        words=("syntax error before: ", "Syntax error: ", "parse error near", "unexpected symbol in",
            "unexpected end of input", "unexpected '", "unexpected string constant",
            "unexpected numeric constant", "while looking for matching", "^ syntax error", "near <eof>",
            "missing close-brace", "expected a `", "read-syntax: ", "bad syntax",
            "end of file during parsing", "Unexpected end of file in "),
        pattern=(
            r"\.(?:erl|hrl|escript):\d+(?::\d+)?: syntax error|: Syntax error: |: parse error near"
            r"|^Error: unexpected (?:symbol|'.{1,3}'|string constant|numeric constant|input) in(?::$| \")"
            r"|unexpected EOF while looking for matching|\^ syntax error|\d+: .{1,200} near <eof>"
            "|^missing close-brace|read-syntax: |: bad syntax$|expected a `.` to close"
            "|end of file during parsing|Error: Unexpected end of file in "
        ),
        weight=73,
        zone=Zone.ANY,
        samples=('Error: unexpected symbol in:\n"x <- c(1, 2\ny"\nExecution halted',
            "run.sh: line 1: unexpected EOF while looking for matching `\"'",
            "gawk: app.awk:1: BEGIN { print (1 }\ngawk: app.awk:1:                  ^ syntax error",
            "run.zsh:2: parse error near `x'"),
    ),
    _build(
        "erlang-compile",
        words=(".erl:", ".hrl:"),
        pattern=r"^\S+\.[eh]rl:\d+:\d+: (?!Warning|warning|syntax)",
        samples=("app.erl:3:11: function totl/0 undefined\n%    3| main() -> totl().",),
    ),
    _crash(
        "own-word-for-a-crash",
        words=("Fortran runtime error: ", "raised ", "Runtime error ", "Unhandled ", "debugger invoked on a ",
            "contract violation", "unbound identifier", "In procedure ", "init terminating in do_boot",
            "exception error: ", "Error@", "Exception@", "division by zero attempted", "no such variable",
            "invalid command name", "Unknown procedure", "goal (initialization) raised exception",
            "context...:", "Unbound variable: ", "Error: unbound variable", "wrong # args",
            "Bad substitution", "bad substitution", "cannot open file", "; Unbound", "while executing",
            "arity mismatch", "error object is a ", "awk: ", "ERROR: ", "runtime error: ", "Fatal error at"),
        pattern=(
            r"^Fortran runtime error: |^raised [A-Z][\w.]+ : |^Runtime error \d+ at \$"
            r"|^Unhandled [A-Z][\w:-]+(?: \[?in thread| #<)|debugger invoked on an? |: contract violation$"
            "|: unbound identifier|: In procedure |^init terminating in do_boot|exception error: "
            r"|^[\w.]+(?:Error|Exception)@\S+\(\d+\)|division by zero attempted"
            r"|^can't read \".{1,100}\": no such |^invalid command name \"|: Unknown procedure: "
            r"|goal \(initialization\) raised|^Unbound variable: |^Error: unbound variable|^wrong # args: "
            r"|: \d+: Bad substitution|: bad substitution$|^\s+while executing$|: arity mismatch;"
            r"|^\s+context\.\.\.:$|\(error object is an? \w+ value\)|^\w*awk: .{1,200}: fatal: "
            r"|^ERROR: \S+\.pl:\d+|^\S+: \S+:\d+: runtime error: "
        ),
        samples=(
            (
                "At line 4 of file main.f90\nFortran runtime error: Index '5' of dimension 1 of array 'a' "
                "above upper bound of 3"
            ),
            "raised CONSTRAINT_ERROR : main.adb:5 index check failed",
            "car: contract violation\n  expected: pair?\n  given: '()",
            'can\'t read "totl": no such variable\n    while executing\n"return $totl "',
            "escript: exception error: {function_clause,[{local,f,[2]}]}",
        ),
    ),
)
# fmt: on
