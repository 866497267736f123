"""What a change did to the tests, as RED's gate sees it."""

from __future__ import annotations

import pytest

from tdd_orchestrator.cycle.red.test_changes import edits_of, map_cases, whole
from tdd_orchestrator.languages.source import changed_surroundings
from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.workspace.guard import Change, Rules

RULES = Rules(("tests/**/*.py",))
OLD = "from calc import add, div\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n\n\ndef test_divides():\n    assert div(7, 2) == 3.5\n"


def edited(after: str, path: str = "tests/test_calc.py"):  # type: ignore[no-untyped-def]
    return edits_of((Change("tests/test_calc.py", "changed", OLD, after),), RULES)


def names(tests) -> list[str]:  # type: ignore[no-untyped-def]
    return [test.name for test in tests]


def test_a_test_with_another_name_and_another_value_is_changed_not_removed() -> None:
    edits = edited(OLD.replace("test_divides", "test_divides_whole").replace("3.5", "3"))
    assert (names(edits.changed), edits.added, edits.removed) == (["test_divides_whole"], (), ())
    assert edits.replaced("tests/test_calc.py::test_divides")


def test_a_test_that_is_gone_is_removed_whatever_comes_instead() -> None:
    other = '\n\ndef test_texts():\n    with open("x") as file:\n        for line in file:\n            assert line\n'
    edits = edited(OLD.split("\n\n\ndef test_divides")[0] + "\n" + other)
    assert (names(edits.added), names(edits.removed)) == (["test_texts"], ["test_divides"])
    assert not edits.replaced("tests/test_calc.py::test_divides")


def test_a_short_test_that_only_has_the_shape_of_the_removed_one_does_not_replace_it() -> None:
    edits = edited(
        OLD.replace("test_divides", "test_texts").replace("div(7, 2) == 3.5", "add('1', '2') == 3")
    )
    assert (names(edits.added), names(edits.removed)) == (["test_texts"], ["test_divides"])
    assert not edits.replaced("tests/test_calc.py::test_divides")


GO_TEST = (
    'package c\n\nimport "testing"\n\nfunc {}(t *testing.T) {{\n\tif got := {}; got != {} {{\n'
    '\t\tt.Errorf("got %v", got)\n\t}}\n}}\n'
)


@pytest.mark.parametrize(
    ("name", "call", "wanted", "renamed"),
    [
        ("TestText", 'Join("a", "b")', '"ab"', False),
        ("TestDivWhole", "Div(7, 2)", "3", True),
        ("TestDivide", "Divide(6, 2)", "3", True),
    ],
)
def test_the_form_of_a_test_does_not_make_another_one_of_it(
    name: str, call: str, wanted: str, renamed: bool
) -> None:
    before, after = GO_TEST.format("TestDiv", "Div(6, 2)", 3), GO_TEST.format(name, call, wanted)
    edits = edits_of((Change("c_test.go", "changed", before, after),), Rules(("*_test.go",)))
    assert (names(edits.changed), names(edits.removed)) == (([name], []) if renamed else ([], ["TestDiv"]))


def test_a_test_that_only_gets_hints_of_types_or_a_docstring_is_not_changed() -> None:
    hinted = OLD.replace("test_divides():", "test_divides() -> None:").replace(
        "test_adds():\n", 'test_adds():\n    """Adds."""\n'
    )
    edits = edited(hinted)
    assert (names(edits.cosmetic), edits.changed) == (["test_adds", "test_divides"], ())
    edits = edited(hinted.replace("3.5", "4"))
    assert (names(edits.cosmetic), names(edits.changed)) == (["test_adds"], ["test_divides"])


def test_a_version_is_a_value_in_a_test_like_any_other() -> None:
    before = "test('parses', () => { const version = '1.0'; assert.equal(major(version), 1); });\n"
    after = before.replace("1.0", "1.0-rc")
    edits = edits_of((Change("a.test.js", "changed", before, after),), Rules(("*.test.js",)))
    assert names(edits.changed) == ["parses"]


def test_a_file_that_moved_keeps_its_tests() -> None:
    moved = (
        Change("tests/test_calc.py", "gone", OLD, None),
        Change(
            "tests/unit/test_calc.py", "new", None, OLD + "\n\ndef test_zero():\n    assert add(0, 0) == 1\n"
        ),
    )
    edits = edits_of(moved, RULES)
    assert (names(edits.added), edits.removed) == (["test_zero"], ())
    assert names(edits.cosmetic) == ["test_adds", "test_divides"]


def test_the_rows_of_a_table_are_one_test() -> None:
    cases = [Case(f"tests/test_calc.py::test_adds[{row}]", "", Outcome.PASSED) for row in ("1-2", "0-0")]
    edits = edited(OLD)
    assert set(map_cases(cases, edits.after).values()) == {"tests/test_calc.py::test_adds"}
    assert [whole(one) for one in ("kata::TestAdd/one_two", "t.py::test_a[x/y]", "src/a.test.js > adds")] == [
        "kata::TestAdd", "t.py::test_a", "src/a.test.js > adds",
    ]  # fmt: skip


def test_a_test_whose_table_changed_is_not_only_reworded() -> None:
    text = (
        "ROWS = [\n    (1, 2),\n]\n\n\ndef test_rows():\n    for a, b in ROWS:\n        assert a < b, 'no'\n"
    )
    change = Change(
        "tests/test_calc.py", "changed", text, text.replace("(1, 2)", "(1, 3)").replace("'no'", "'less'")
    )
    edits = edits_of((change,), RULES)
    assert (edits.around.tests, edits.cosmetic) == ({"tests/test_calc.py::test_rows"}, ())


def test_a_table_at_the_top_of_a_file_is_a_part_of_the_tests_that_name_it() -> None:
    text = "ROWS = [\n    (1, 2),\n]\nOTHER = 1\n\n\ndef test_rows():\n    for a, b in ROWS:\n        assert a < b\n\n\ndef test_other():\n    assert OTHER\n"
    after = text.replace("(1, 2),", "(1, 2),\n    (2, 1),")
    edits = edits_of((Change("tests/test_rows.py", "changed", text, after),), RULES)
    assert edits.around.tests == {"tests/test_rows.py::test_rows"}


@pytest.mark.parametrize(
    ("path", "before", "names"),
    [
        ("a_test.py", "OTHER = 1\n", {"OTHER"}),
        ("a_test.py", "ROWS: list[int] = [\n    1,\n]\n", {"ROWS"}),
        ("a_test.py", "def made():\n    return 1\n", {"made"}),
        ("a_test.py", "calc.add = 1\n", set()),
        ("a_test.py", "setup(limit=1)\n", set()),
        ("a_test.py", "@fixture\ndef made(a=1):\n    return a\n", {"made"}),
        ("a.test.js", "const rows = [\n  1,\n];\n", {"rows"}),
        ("a.test.ts", "export const rows: number[] = [1];\n", {"rows"}),
        ("a_test.go", "package a\n\nvar rows = []int{1}\n", {"rows"}),
        ("a_test.rb", "ROWS = [1]\n", {"ROWS"}),
        ("tests/a.rs", "const ROWS: [(u8, u8); 1] = [(1, 2)];\n", {"ROWS"}),
        ("ATest.php", "<?php\n$rows = [1];\n", {"rows"}),
        ("a_test.cpp", "static const int rows[] = {1};\n", {"rows"}),
        ("a_test.lua", "local rows = {1}\n", {"rows"}),
        ("a.bats", "limit=1\n", {"limit"}),
        ("a.t", "my @rows = (1);\n", {"rows"}),
        ("ATest.kt", "val rows = listOf(1)\n", {"rows"}),
    ],
)  # fmt: skip
def test_a_value_at_the_top_of_a_file_is_known_by_its_name(path: str, before: str, names: set[str]) -> None:
    assert changed_surroundings(before, before.replace("1", "2"), path).names == names


@pytest.mark.parametrize("path", ["a_test.py", "a.test.js"])
def test_a_file_may_be_nested_deep(path: str) -> None:
    text = "[" * 4000 + "]" * 4000 + "\nx = 1\n"
    assert changed_surroundings(text, text.replace("1", "2"), path).names <= {"x"}


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("import calc from './calc.js';", "import { calc } from './calc.js';", ["doubles"]),
        ("import { calc } from './calc.js';", "import { sum as calc } from './calc.js';", ["doubles"]),
        ("const { calc } = require('./calc');", "const { calc } = require('./lib/calc');", ["doubles"]),
        ("import { calc } from './calc.js';", "import { calc } from './calc.js';\nimport { log } from './log.js';", []),
        ("import { calc } from './calc.js';", "import { calc, log } from './calc.js';", []),
    ],
)  # fmt: skip
def test_a_test_uses_what_its_file_imports_otherwise(before: str, after: str, named: list[str]) -> None:
    text = f"{before}\n\ntest('doubles', () => {{ expect(calc(2)).toBe(4); }});\n\ntest('other', () => {{ expect(1).toBe(1); }});\n"
    change = Change("test/calc.test.js", "changed", text, text.replace(before, after))
    edits = edits_of((change,), Rules(("test/*",)))
    assert edits.around.tests == {f"test/calc.test.js::{name}" for name in named}


def test_python_imports_count_as_well() -> None:
    edits = edited(OLD.replace("import add, div", "import plus as add, div as div"))
    assert edits.around.tests == {"tests/test_calc.py::test_adds", "tests/test_calc.py::test_divides"}


def test_of_an_import_that_is_split_only_the_moved_name_counts() -> None:
    edits = edited(OLD.replace("import add, div", "import add\nfrom calc_div import div"))
    assert edits.around.tests == {"tests/test_calc.py::test_divides"}


SET_UP = "describe('a', () => {\n  let n;\n  beforeEach(() => { n = 1; });\n  it('one', () => { expect(f()).toBe(n); });\n});\ndescribe('b', () => { it('two', () => { expect(f()).toBe(2); }); });\n"


def test_tests_of_a_group_follow_its_set_up() -> None:
    change = Change("test/a.test.js", "changed", SET_UP, SET_UP.replace("n = 1", "n = 3"))
    assert edits_of((change,), Rules(("test/*",))).around.tests == {"test/a.test.js::a::one"}
    other = Change("test/a.test.js", "changed", SET_UP, SET_UP.replace("toBe(2)", "toBe(3)"))
    assert edits_of((other,), Rules(("test/*",))).around.tests == frozenset()


def test_what_changed_in_a_helper_of_its_own_is_named() -> None:
    text = "LIMIT = 3\n\n\ndef check(a):\n    assert a < LIMIT\n\n\ndef other():\n    return 1\n"
    change = Change("tests/helpers.py", "changed", text, text.replace("a < LIMIT", "a <= LIMIT"))
    assert edits_of((change,), RULES).around.names == {"check"}
    assert not edits_of((Change("tests/helpers.py", "new", None, text),), RULES).around


TABLE = "module.exports = [\n  ['~1.2', '>=1.2.0'],\n]\n"
READER = "const rows = require('../fixtures/range-include.js')\ntest('ranges', t => { t.ok(rows) })\n"


@pytest.mark.parametrize(
    ("after", "used"),
    [
        (TABLE.replace("]\n", "  ['~1', '>=1.0.0'],\n]\n"), True),
        (f"// tilde\n{TABLE}", False),
    ],
)
def test_a_module_that_is_a_table_is_data_of_the_tests_that_load_it(after: str, used: bool) -> None:
    rules = Rules(("test/**/*.js",))
    edits = edits_of((Change("test/fixtures/range-include.js", "changed", TABLE, after),), rules)
    test = "test/classes/range.js::ranges"
    assert edits.around.used_by(test, "test/classes/range.js", READER) is used
    assert not edits.around.used_by(
        test, "test/classes/range.js", READER.replace("range-include", "range-parse")
    )


ROWS = (
    "const t = require('tap')\nconst cases = [\n  ['1', true],\n]\ncases.forEach(([a, b]) => t.equal(f(a), b))\n\n\n"
    "t.test('same', t => { t.ok(f('1')) })\n"
)


def test_a_row_of_assertions_outside_of_tests_is_data_of_its_file() -> None:
    after = ROWS.replace("]\ncases", "  ['2', true],\n]\ncases")
    edits = edits_of((Change("test/f.js", "changed", ROWS, after),), Rules(("test/**/*.js",)))
    assert edits.around.data == {"test/f.js"}
    reworded = edits_of((Change("test/f.js", "changed", ROWS, f"// f\n{ROWS}"),), Rules(("test/**/*.js",)))
    assert not reworded.around
