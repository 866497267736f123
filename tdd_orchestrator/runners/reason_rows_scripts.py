"""RED's reasons in Perl, Lua, Elixir, shell and C#; without a matching row, "failed" is an assertion."""

from __future__ import annotations

from tdd_orchestrator.model.report import Reason
from tdd_orchestrator.runners.reason_row import row

R = Reason

PERL = (
    row(
        "perl",
        r"Can't locate (\S+)\.p[lm] in @INC",
        R.MISSING_SYMBOL,
        "Can't locate Acme/Double.pm in @INC (you may need to install)",
        "import",
    ),
    row(
        "perl",
        r"Can't locate object method \"\w+\" via package \"([\w:]+)\"",
        R.MISSING_SYMBOL,
        'Can\'t locate object method "shout" via package "Greet"',
        "module",
    ),
    row(
        "perl",
        r"Undefined subroutine &main::(\w+) called",
        R.MISSING_SYMBOL,
        "Undefined subroutine &main::shout called",
    ),
    row(
        "perl",
        r"Undefined subroutine &([\w:]+)::\w+ called|\"\w+\" is not exported by the ([\w:]+) module",
        R.MISSING_SYMBOL,
        "Undefined subroutine &Greet::shout called",
        "module",
    ),
    row(
        "perl",
        r"(?:Not enough|Too many|Too few) arguments for (?:subroutine '|main::)?([\w:]+)",
        R.MISSING_SYMBOL,
        "Too many arguments for Greet::greet",
        "module",
    ),
    row(
        "perl",
        (
            "syntax error|Can't find string terminator|Missing right curly|Unmatched "
            r"|where operator expected|not allowed while \"strict subs\""
        ),
        R.SYNTAX,
        "syntax error",
        build=True,
    ),
    row(
        "perl",
        r"requires explicit package name|Can't call method|Can't use ",
        R.EXCEPTION,
        'Global symbol "$nope" requires explicit package name',
    ),
)

LUA = (
    row(
        "lua",
        r"\A[Ee]xpected\b",
        R.ASSERTION,
        "Expected objects to be equal.\nPassed in:\n(string) 'attempt to index a nil value'",
    ),
    row("lua", r"module '([^']+)' not found", R.MISSING_SYMBOL, "module 'kata.double' not found:", "import"),
    row(
        "lua",
        (
            r"unexpected symbol near|expected (?:\(to close .*\) )?near|<eof>|unfinished (?:string|long)"
            "|malformed number"
        ),
        R.SYNTAX,
        "unexpected symbol near '}'",
    ),
    row(
        "lua",
        r"attempt to call (?:a nil value \()?(?:global|field|method|local|upvalue) '(\w+)'",
        R.MISSING_SYMBOL,
        "attempt to call field 'double' (a nil value)",
        "call",
    ),
    row(
        "lua",
        r"attempt to (?:call|index|perform|compare|concatenate)",
        R.EXCEPTION,
        "attempt to index local 'x' (a nil value)",
    ),
)

ELIXIR = (
    row(
        "elixir",
        r"\A(?:Assertion (?:with|failed)|Expected\b|match \(=\) failed|Wrong message for )",
        R.ASSERTION,
        "Expected exception SyntaxError but nothing was raised",
    ),
    row(
        "elixir",
        r"SyntaxError|TokenMissingError|MismatchedDelimiterError",
        R.SYNTAX,
        "SyntaxError: unexpected token: }",
    ),
    row(
        "elixir",
        r"ExUnit\.TimeoutError|test timed out after",
        R.TIMEOUT,
        "ExUnit.TimeoutError: test timed out after 100ms",
    ),
    row(
        "elixir",
        r"function ([A-Z][\w.]*)\.\w+[!?]?/\d+ is undefined",
        R.MISSING_SYMBOL,
        "function Double.double/1 is undefined (module Double is not available)",
        "module",
    ),
    row(
        "elixir",
        (
            r"\b([A-Z][\w.]{0,200}?)\.__struct__/[01] is undefined|module ([A-Z][\w.]*) is not (?:loaded"
            "|available)"
        ),
        R.MISSING_SYMBOL,
        "Money.__struct__/1 is undefined, cannot expand struct Money",
        "module",
    ),
    row(
        "elixir",
        r"undefined function (\w+[!?]?)/[1-9]",
        R.MISSING_SYMBOL,
        (
            "undefined function double/1 (expected DoubleTest to define such a function or for it to "
            "be imported)"
        ),
    ),
    row("elixir", r"undefined (?:function|variable)", R.EXCEPTION, 'undefined variable "nope"'),
)

SHELL = (
    row(
        "shell",
        (
            r"\A`\[[^\n]*(?:syntax error|unexpected e|unbound variable|bad substitution|Permission denied"
            r"|No such file|not found)[^\n]*' failed$"
        ),
        R.ASSERTION,
        '`[ "$output" = "syntax error" ]\' failed',
    ),
    row(
        "shell",
        r"syntax error|unexpected EOF while looking|unexpected end of file",
        R.SYNTAX,
        "test/double.bats: line 10: syntax error near unexpected token `)'",
    ),
    row(
        "shell",
        r"Could not find '([^']+)'",
        R.MISSING_SYMBOL,
        "bats_load_safe: Could not find 'test/../lib/double.sh'[.bash]",
        "script",
    ),
    row(
        "shell",
        r"(?:^|: )([^\s:]+): No such file or directory",
        R.MISSING_SYMBOL,
        "test/double.bats: line 9: lib/none.sh: No such file or directory",
        "script",
    ),
    row(
        "shell",
        r"(?:^|: )cannot open (?:\./)?([^\s:]+): No such file",
        R.MISSING_SYMBOL,
        "test/double.sh: 1: .: cannot open ./double.sh: No such file",
        "script",
    ),
    row(
        "shell",
        r"(?:^|: )([^\s:]+): (?:command )?not found",
        R.MISSING_SYMBOL,
        "test/double.bats: line 2: double: command not found",
        "script",
    ),
    row(
        "shell",
        r"unbound variable|bad substitution|Permission denied",
        R.EXCEPTION,
        "test/double.bats: line 3: nope: unbound variable",
    ),
    row(
        "shell",
        r"from function [`']setup",
        R.FIXTURE,
        "(from function `setup' in test file test/double.bats, line 1)",
    ),
)

CSHARP = (
    row(
        "csharp",
        r"The type or namespace name ['`](\w+)' does not exist in the namespace ['`]([\w.]+)'",
        R.MISSING_SYMBOL,
        "CS0234: The type or namespace name 'Maths' does not exist in the namespace 'Acme'",
        "within",
        True,
    ),
    row(
        "csharp",
        r"The type or namespace name ['`](\w+)' could not be found",
        R.MISSING_SYMBOL,
        (
            "CS0246: The type or namespace name 'Twice' could not be found (are you missing a using "
            "directive or an assembly reference?)"
        ),
        "module",
        True,
    ),
    row(
        "csharp",
        r"The name ['`][A-Z]\w*' does not exist in the current context",
        R.MISSING_SYMBOL,
        "CS0103: The name 'Twice' does not exist in the current context",
        build=True,
    ),
    row(
        "csharp",
        r"The name ['`]\w+' does not exist in the current context",
        R.EXCEPTION,
        "CS0103: The name 'whatever' does not exist in the current context",
        build=True,
    ),
    row(
        "csharp",
        (
            r"['`]([\w.]+)' does not contain a definition for"
            r"|[Tt]ype ['`]([\w.]+)' does not contain a definition"
        ),
        R.MISSING_SYMBOL,
        "CS0117: 'Greet' does not contain a definition for 'Shout'",
        "type",
        True,
    ),
    row(
        "csharp",
        (
            "No overload for method|does not contain a constructor that takes"
            "|is inaccessible due to its protection level"
        ),
        R.MISSING_SYMBOL,
        "CS1501: No overload for method 'Of' takes 2 arguments",
        build=True,
    ),
    row(
        "csharp",
        r"\bCS(?:1[0-9]{3}|8[0-9]{3})\b|expected$|Unexpected symbol",
        R.SYNTAX,
        "CS1002: ; expected",
        build=True,
    ),
    row(
        "csharp",
        r"NotImplementedException",
        R.MISSING_SYMBOL,
        "System.NotImplementedException : The method is not implemented.",
        "stub",
    ),
    row(
        "csharp",
        r"AssertionException|Expected: |Assert\.|XunitException|AssertFailedException",
        R.ASSERTION,
        "Expected: 4\n  But was:  5",
    ),
    row("csharp", r"\wException\b", R.EXCEPTION, "System.NullReferenceException : Object reference not set"),
)

ROWS = (*PERL, *LUA, *ELIXIR, *SHELL, *CSHARP)
