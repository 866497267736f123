"""Signs that warn and never refuse: code made for its test, files and public names that are gone (E7)."""

from __future__ import annotations

import pytest

from tdd_orchestrator.cycle.warning_signs import removed_names, special_casing, weak_tests
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.workspace.guard import Change

TEST = "from leap import is_leap\n\n\ndef test_leap():\n    assert is_leap(2024) is True\n    assert name() == 'abc'\n"


@pytest.mark.parametrize(
    ("path", "code", "sign"),
    [
        ("leap.py", "def f(y):\n    return y == 2024\n", "a special case for 2024"),
        ("leap.py", "def f(y):\n    return y in (2024, 2028)\n", "a special case for 2024"),
        ("leap.py", "def f(y):\n    if y == 2024:\n        return True\n", "a special case for 2024"),
        ("leap.py", "def name():\n    return 'abc'\n", "a fixed answer, 'abc'"),
        ("leap.py", "import sys\nIN_TEST = 'pytest' in sys.modules\n", "asks whether a test runs"),
        ("leap.py", "import glob\nTESTS = glob.glob('tests/*.py')\n", "reads its tests"),
        ("leap.h", "inline int f(int y) { (void)y; return 2024; }\n", "a fixed answer, 2024"),
        ("leap.py", "is_leap = None\n", "'is_leap', which the test names, holds nothing"),
        ("leap.js", "exports.is_leap = undefined;\n", "'is_leap', which the test names, holds nothing"),
        ("leap.py", "CASES = 'test_leap'\n", "reads its tests (tests/test_leap.py)"),
        ("leap.py", "import time\ntime.time = lambda: 0\n", "replaces a part of 'time'"),
        ("leap.js", "export const f = (y) => y === 2024;\n", "a special case for 2024"),
        ("leap.js", "if (process.env.NODE_ENV === 'test') skip();\n", "asks whether a test runs"),
        ("leap.js", "const on = process.env.NODE_TEST_CONTEXT;\n", "asks whether a test runs"),
        ("leap.js", "export const f = (n) => 2024;\n", "a fixed answer, 2024"),
        ("leap.lua", "function calc.double(n) return 2024 end\n", "a fixed answer, 2024"),
        ("leap.sh", 'double() { echo "$((2024))"; }\n', "a fixed answer, 2024"),
        ("leap.go", "func Double(n int) int { return 2024 }\n", "a fixed answer, 2024"),
        ("leap.py", "ANSWERS = {2024: 'abc'}\n", "a special case for 2024"),
        ("leap.py", "ANSWERS[2024] = True\n", "a special case for 2024"),
        ("leap.py", "LEAP = {2024, 'abc'}\n", "a special case for 2024, 'abc'"),
        ("leap.js", "const LEAP = [2024, 2024];\n", "a special case for 2024, 2024"),
        ("leap.py", "ON = any(m.startswith('pyte') for m in sys.modules)\n", "asks whether a test runs"),
        ("leap.py", "import os  # noqa\n", "switches a check off (noqa)"),
        (
            "leap.py",
            "def f(y):  # pragma: no cover\n    return 1\n",
            "switches a check off (pragma: no cover)",
        ),
        ("leap.js", "// eslint-disable-next-line\nconst f = 1;\n", "switches a check off (eslint-disable)"),
        ("leap.ts", "// @ts-ignore\nf();\n", "switches a check off (@ts-ignore)"),
        ("leap.rs", "#[allow(dead_code)]\nfn f() {}\n", "switches a check off"),
        ("leap.rs", "        2024 => true,\n", "a special case for 2024"),
        ("leap.sh", '[ "$1" = 2024 ] && echo abc\n', "a special case for 2024"),
        (
            "leap.go",
            "func f(y int) bool {\n\tif y == 2024 {\n\t\treturn true\n\t}\n\treturn false\n}\n",
            "a special case",
        ),
    ],
)
def test_code_made_for_its_test_is_named(path: str, code: str, sign: str) -> None:
    found = special_casing([("tests/test_leap.py", TEST)], Change(path, "new", None, code))
    assert sign in found[0]


def test_a_special_case_and_its_answer_are_one_sign() -> None:
    code = "def f(y):\n    if y == 2024:\n        return 'abc'\n    return 'abc'\n"
    found = special_casing([("tests/test_leap.py", TEST)], Change("leap.py", "new", None, code))
    assert [one.split(": ")[0] for one in found] == ["leap.py:2", "leap.py:4"]


@pytest.mark.parametrize(
    "code",
    [
        "def is_leap(y):\n    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)\n",
        "export const f = (n) => n * 2024;\n",
        "def even(n):\n    return n % 2024 == 0 or n % 7 == 2024\n",
        "def f(n):\n    return [i for i in range(2024, n)]\n",
        "class Clock:\n    def __init__(self):\n        self.time = 0\n",
        "def f(days):\n    return days[2024] + g(2024, 2024) + [2024, 7][0]\n",
        "import sys\n\nHERE = sys.modules[__name__]\n",
        "LIMIT = 10\n\n\ndef f(x):\n    return x in range(LIMIT)\n",
    ],
)
def test_general_code_is_not_named(code: str) -> None:
    assert special_casing([("tests/test_leap.py", TEST)], Change("leap.py", "new", None, code)) == []


def test_a_line_that_was_there_before_is_not_named() -> None:
    code = "def f(y):\n    return y == 2024\n"
    assert (
        special_casing([("tests/test_leap.py", TEST)], Change("leap.py", "changed", code, code + "\n")) == []
    )


PYTHON = "from calc import double\n\n\ndef test_doubles():\n    assert {}\n"
NODE = 'const test = require("node:test");\n\ntest("doubles", () => {{ assert.strictEqual({}); }});\n'
GO = 'package calc\n\nfunc TestDoubles(t *testing.T) {{\n\tif {} {{\n\t\tt.Error("no")\n\t}}\n}}\n'


@pytest.mark.parametrize(
    ("path", "template", "same", "other"),
    [
        ("tests/test_calc.py", PYTHON, "double(2) == double( 2 )", "double(2) == double(3)"),
        ("tests/test_calc.py", PYTHON, "double(2) == double(2)", "double(2) == double(2)\n    assert double(2) == 4"),
        ("test/calc.test.js", NODE, "double(2), double(2)", "double(2), 4"),
        ("calc_test.go", GO, "double(2) != double(2)", "double(2) != 4"),
    ],
)  # fmt: skip
def test_what_is_compared_with_itself_is_named(path: str, template: str, same: str, other: str) -> None:
    ((test,), text) = find_tests(template.format(same), path), template.format(same)
    (warning,) = weak_tests([test.id], [(path, text)])
    assert warning == f"{path}:{test.line}: {test.name} compares double(2) with itself"
    assert weak_tests([f"{path}::another"], [(path, text)]) == []
    assert weak_tests([test.id], [(path, template.format(other))]) == []


def test_what_is_gone_is_named() -> None:
    changes = [
        Change("a.py", "changed", "def kept(): pass\ndef lost(): pass\n", "def kept(): pass\n"),
        Change("b.py", "gone", "def away(): pass\n", None),
        Change("c.py", "changed", "def moved(): pass\n", "\n"),
        Change("d.py", "new", None, "def moved(): pass\n"),
        Change("e.py", "changed", "def prints():\n    print()\ndef idle(): ...\n", "def prints():\n    pass\ndef idle(): ...\n"),
        Change("e.js", "changed", "function f() { g(); }\nfunction h() { return g(); }\n", "function f() {}\nfunction h() { return 1; }\n"),
        Change("tests/test_a.py", "gone", "def test_a(): pass\n", None),
    ]  # fmt: skip
    assert removed_names(changes, lambda path: path.startswith("tests/")) == [
        "a.py: no longer there: lost",
        "b.py is deleted",
        "b.py: no longer there: away",
        "c.py is empty now",
        "e.py: does nothing any more: prints",
        "e.js: does nothing any more: f",
    ]


@pytest.mark.parametrize(
    ("test", "line", "warns"),
    [
        ("test/items.js", "app.get('/items', list);", False),
        ("test/items.js", "const cases = require('../test/items');", True),
        ("src/cart.test.ts", "import { total } from './cart';", False),
        ("src/cart.test.ts", "import { cases } from './cart.test';", True),
        ("spec/cart_spec.rb", "require_relative '../spec/cart_spec'", True),
        ("cart_test.go", 'raw, _ := os.ReadFile("cart_test.go")', True),
    ],
)
def test_code_that_is_called_as_its_test_file_does_not_read_it(test: str, line: str, warns: bool) -> None:
    change = Change("app.js", "new", None, f"{line}\n")
    found = special_casing([(test, "x")], change)
    assert any("reads its tests" in one for one in found) is warns
