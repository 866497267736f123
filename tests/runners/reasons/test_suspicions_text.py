"""Signs of code made for its test, in other languages: told with their place, and none in honest code."""

from __future__ import annotations

import pytest

from tdd_orchestrator.runners.suspicions_text import text_suspicions

TESTS = [("test/double.test.js", 'test("doubles", () => { assert.equal(double(21), 42); });\n')]
EQUAL, CALLER, FIXED, FILE = (
    "equal to everything",
    "who calls it",
    "a fixed answer for 21",
    "names its test file",
)

SIGNS = [
    ("a.js", "return { [Symbol.toPrimitive]: () => 42 };", EQUAL),
    ("a.js", "if (number === 21) return 42;", FIXED),
    ("a.ts", "case 21: return 42;", FIXED),
    ("a.js", "const from = new Error().stack;", CALLER),
    ("a.js", "fs.readFileSync('test/double.test.js');", FILE),
    ("a.go", "if number == 21 { return 42 }", FIXED),
    ("a.go", "pc, _, _, _ := runtime.Caller(1)", CALLER),
    ("a.rb", "def o.==(other) = true", EQUAL),
    ("a.rb", "return 42 if number == 21", FIXED),
    ("A.pm", "use overload '==' => sub { 1 };", EQUAL),
    ("A.pm", "return 42 if $number == 21;", FIXED),
    ("a.php", "if ($number === 21) { return 42; }", FIXED),
    ("a.php", "$by = debug_backtrace();", CALLER),
    ("a.rs", "if number == 21 { return 42; }", FIXED),
    ("a.rs", "21 => 42,", FIXED),
    ("a.lua", "setmetatable({}, { __eq = function() return true end })", EQUAL),
    ("a.lua", "if number == 21 then return 42 end", FIXED),
    ("a.ex", "def double(21), do: 42", FIXED),
    ("a.sh", '[ "$1" -eq 21 ] && echo 42', FIXED),
]  # fmt: skip
HONEST = [
    ("a.js", "return number * 2;"),
    ("a.js", "if (number === 0) return 0;"),
    ("a.js", "if (number === 21) return halve(number);"),
    ("a.go", "if number == 0 { return 0 }"),
    ("a.rb", "def ==(other) = value == other"),
    ("A.pm", "use overload '+' => sub { $_[0]{value} + $_[1] };"),
    ("a.rs", "if number == 7 { return 14; }"),
    ("a.txt", "if (number === 21) return 42;"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "line", "sign"), SIGNS)
def test_a_sign_is_told_with_its_place(path: str, line: str, sign: str) -> None:
    (told,) = text_suspicions(TESTS, path, "", f"\n{line}\n")
    assert told.startswith(f"{path}:2: ")
    assert sign in told
    assert line[:40] in told


@pytest.mark.parametrize(("path", "line"), HONEST)
def test_honest_code_has_none(path: str, line: str) -> None:
    assert text_suspicions(TESTS, path, "", line + "\n") == []


def test_what_was_there_before_is_not_told() -> None:
    line = "if (number === 21) return 42;\n"
    assert text_suspicions(TESTS, "a.js", line, "\n" + line) == []


def test_many_signs_are_told_in_part() -> None:
    code = "".join(f"if (number === 21) return {n};\n" for n in range(30))
    assert len(text_suspicions(TESTS, "a.js", "", code)) == 8
