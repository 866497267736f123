"""Rows of a table of examples are left out where only examples are lost."""

from __future__ import annotations

import pytest

from tdd_orchestrator.languages.twins import without_rows

ROWS = ["[2024, true]", "[1900, false]", "[2000, true]", "[2023, false]", "[2400, true]"]
PYTHON = ["(2024, True)", "(1900, False)", "(2000, True)", "(2023, False)", "(2400, True)"]
GO = ["{2024, true}", "{1900, false}", "{2000, true}", "{2023, false}", "{2400, true}"]
RUST = [row.lower() for row in PYTHON]


def listed(rows: list[str], indent: str = "    ") -> str:
    return "".join(f"{indent}{row},\n" for row in rows)


TABLES = {
    "test_leap.py": (
        PYTHON,
        "@pytest.mark.parametrize('year, leap', [\n{}])\ndef test_leap(year, leap):\n    assert is_leap(year) == leap\n",
    ),
    "test_loop.py": (
        PYTHON,
        "CASES = [\n{}]\n\n\ndef test_leap():\n    for year, leap in CASES:\n        assert is_leap(year) == leap\n",
    ),
    "leap.test.js": (ROWS, "test.each([\n{}])('%i', (year, leap) => {{\n  expect(isLeap(year)).toBe(leap);\n}});\n"),
    "leap.test.ts": (
        ROWS,
        "const cases = [\n{}];\nfor (const [year, leap] of cases) {{\n  test(`${{year}}`, () => {{ assert.equal(isLeap(year), leap); }});\n}}\n",
    ),
    "leap_test.go": (
        GO,
        "package leap\n\nfunc TestLeap(t *testing.T) {{\n\ttests := []struct {{\n\t\tyear int\n\t\tleap bool\n\t}}{{\n{}\t}}\n"
        "\tfor _, tc := range tests {{\n\t\tif IsLeap(tc.year) != tc.leap {{\n\t\t\tt.Errorf(\"%d\", tc.year)\n\t\t}}\n\t}}\n}}\n",
    ),
    "leap_test.rb": (
        ROWS,
        "class TestLeap < Minitest::Test\n  def test_leap\n    [\n{}    ].each do |year, leap|\n      assert_equal leap, leap?(year)\n    end\n  end\nend\n",
    ),
    "leap.rs": (
        RUST,
        "#[cfg(test)]\nmod tests {{\n    #[test]\n    fn leap() {{\n        for (year, leap) in [\n{}        ] {{\n            assert_eq!(is_leap(year), leap);\n        }}\n    }}\n}}\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("path", TABLES)
def test_one_row_in_four_is_left_out_and_never_the_first_or_last(path: str) -> None:
    rows, frame = TABLES[path]
    whole = frame.format(listed(rows))
    seen = set()
    for attempt_plan in range(len(rows) - 2):
        shown, count = without_rows(whole, "", path, "seed", attempt_plan)
        assert count == 1
        missing = [row for row in rows if row not in shown]
        assert shown == frame.format(listed([row for row in rows if row not in missing]))
        seen.update(missing)
    assert seen == set(rows[1:-1])
    assert without_rows(whole, "", path, "seed", len(rows) - 2) == (whole, 0)


def test_rows_that_were_there_before_stay() -> None:
    rows, frame = TABLES["test_leap.py"]
    before = frame.format(listed([*rows[:2], *rows[3:]]))
    shown, count = without_rows(frame.format(listed(rows)), before, "test_leap.py", "seed", 0)
    assert (shown, count) == (before, 1)


@pytest.mark.parametrize(
    "text",
    [
        "def test_few():\n    for one in [1, 2, 3]:\n        assert one\n",
        "def test_expected():\n    assert rows() == [(1, 2), (3, 4), (5, 6), (7, 8)]\n",
        "def test_input():\n    data = [1, 2, 3, 4, 5]\n    assert total(data) == 15\n",
        "def test_steps():\n    stack = []\n    for one in [1, 2, 3, 4]:\n        stack.append(one)\n    assert len(stack) == 4\n",
        "@pytest.mark.parametrize(('a', 'b', 'c', 'd'), ROWS)\ndef test_names(a, b, c, d):\n    assert a\n",
    ],
)
def test_what_is_no_table_stays_whole(text: str) -> None:
    assert without_rows(text, "", "test_x.py", "seed", 0) == (text, 0)


def test_a_file_of_no_language_stays_whole() -> None:
    assert without_rows("a,b\n1,2\n", "", "cases.csv", "seed", 0) == ("a,b\n1,2\n", 0)
