"""What a change did to the tests of a file: added, changed, cosmetic, removed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.functions import changed_functions
from tdd_orchestrator.languages.parse import parse
from tdd_orchestrator.languages.source import compare_tests, find_tests, production_part, test_part

PY = """\
import pytest

@pytest.mark.parametrize("a, b", [(1, 2)])
def test_doubles(a, b):
    got = double(a)
    assert got == b
"""


def _names(before: str, after: str, path: str = "test_kata.py") -> dict[str, list[str]]:
    changes = compare_tests(before, after, path)
    return {word: [test.name for test in getattr(changes, word)] for word in ("added", "changed", "cosmetic", "removed")
            if getattr(changes, word)}  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("got = double(a)\n    assert got == b", "value = double(a)\n    assert value == b"),
        ("got = double(a)", "got = double(\n        a,\n    )  # why"),
        ('"a, b"', "'a, b'"),
        ("\n    assert", "\n\n    assert"),
        ("assert got == b", "assert (got == b)"),
        ("assert got == b", "assert (\n        got\n        == b\n    )"),
        ("assert got == b", "assert (got) == b"),
        ("double(a)", "(double(a))"),
    ],
)
def test_names_and_format_are_cosmetic(old: str, new: str) -> None:
    assert _names(PY, PY.replace(old, new)) == {"cosmetic": ["test_doubles"]}


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("test_a.py", "def test_a():\n    assert two() == 2, 'tow'\n", "'tow'", "f'two, not {two()}'"),
        (
            "a_test.go",
            'package a\n\nfunc TestA(t *testing.T) {\n\tif two() != "2" {\n\t\tt.Errorf("tow: %s", two())\n\t}\n}\n',
            "tow: ",
            "two: ",
        ),
        ("tests/a.rs", '#[test]\nfn a() { assert_eq!(two(), "2", "tow"); }\n', "tow", "two"),
        ("a.test.js", "test('a', () => { assert.equal(two(), '2', 'tow'); });\n", "tow", "two"),
    ],
)
def test_the_message_of_a_failure_is_cosmetic(path: str, text: str, old: str, new: str) -> None:
    assert list(_names(text, text.replace(old, new), path)) == ["cosmetic"]
    assert list(_names(text, text.replace("2", "3"), path)) == ["changed"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[(1, 2)]", "[(1, 3)]"),
        ("== b", "!= b"),
        ("    assert", "    if got:\n        assert"),
        ("double(a)", "double(b)"),
        ("double(a)", "double((a,))"),
        ("double(a)", "double(())"),
        ("assert got == b", "assert got == (b == b)"),
        ("assert got == b", "assert (got, b)"),
        ("@pytest", "@pytest.mark.skip\n@pytest"),
        ("assert got == b", "assert got == b, 'no'"),
        ('"a, b"', '"a,b"'),
    ],
)
def test_what_it_does_is_a_change(old: str, new: str) -> None:
    assert _names(PY, PY.replace(old, new)) == {"changed": ["test_doubles"]}


def test_a_block_counts_in_python() -> None:
    inside = "def test_a():\n    for x in y:\n        f(x)\n        assert x\n"
    assert _names(inside, inside.replace("        assert", "    assert")) == {"changed": ["test_a"]}


def test_imports_and_other_tests_do_not_count() -> None:
    after = PY.replace("import pytest", "import os\nimport pytest") + "\n\ndef test_more():\n    assert f()\n"
    assert _names(PY, after) == {"added": ["test_more"]}
    assert _names(after, PY) == {"removed": ["test_more"]}


def test_a_rename_with_the_same_body_is_cosmetic() -> None:
    assert _names(PY, PY.replace("test_doubles", "test_twice")) == {"cosmetic": ["test_twice"]}


def test_a_renamed_local_that_names_an_argument_is_a_change() -> None:
    before = "def test_a():\n    x = 1\n    assert f(x=x) == 2\n"
    assert _names(before, before.replace("x", "y")) == {"changed": ["test_a"]}


GO_EXAMPLE = """\
package kata

func ExampleDouble() {
	// two and three
	fmt.Println(Double(2))
	fmt.Println(Double(3))

	// Output:
	// 4
	// 6
}
"""


def test_what_a_go_example_must_print_is_part_of_it() -> None:
    changed = {"changed": ["ExampleDouble"]}
    assert _names(GO_EXAMPLE, GO_EXAMPLE.replace("// 6", "// 7"), "kata_test.go") == changed
    assert (
        _names(GO_EXAMPLE, GO_EXAMPLE.replace("// Output", "// Unordered output"), "kata_test.go") == changed
    )
    other = GO_EXAMPLE.replace("two and three", "three and two")
    assert _names(GO_EXAMPLE, other, "kata_test.go") == {"cosmetic": ["ExampleDouble"]}


def test_javascript_statements_are_kept_apart() -> None:
    before = "test('a', () => {\n  const got = f(1);\n  expect(got).toBe(2);\n});\n"
    same = "test('a', () => {\n  const it1 = f(1)\n\n  expect(\n    it1,\n  ).toBe(2)\n})\n"
    assert _names(before, same, "a.test.js") == {"cosmetic": ["a"]}
    assert _names(before, before.replace("'a'", "'b'"), "a.test.js") == {"cosmetic": ["b"]}
    assert _names(before, before.replace("toBe(2)", "toBe(3)"), "a.test.js") == {"changed": ["a"]}


RUST = "pub fn double(n: i32) -> i32 {\n    n * 2\n}\n"
RUST_TESTS = "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn doubles() {\n        assert_eq!(double(2), 4);\n    }\n}\n"


def test_a_rust_test_module_is_the_test_part() -> None:
    assert production_part(RUST, "src/lib.rs") == production_part(RUST + RUST_TESTS, "src/lib.rs")
    changed = RUST.replace("* 2", "* 3") + RUST_TESTS
    assert production_part(RUST, "src/lib.rs") != production_part(changed, "src/lib.rs")
    assert test_part(RUST + RUST_TESTS, "src/lib.rs") == test_part(changed, "src/lib.rs") != ""


def test_a_blank_line_in_a_string_is_production_code() -> None:
    text = 'X = """a\n\n\nb"""\n\n\ndef f():\n    return X\n'
    assert production_part(text, "a.py") != production_part(text.replace("a\n\n\nb", "a\n\nb"), "a.py")
    assert production_part(text, "a.py") == production_part(text.replace("\n\n\ndef", "\ndef"), "a.py")


def test_changed_functions_ignore_comments() -> None:
    before = "def f(a):\n    return a\n\n\nclass K:\n    def g(self):\n        return 1\n"
    after = before.replace("return a", "return a  # why").replace("return 1", "return 2") + "def h(): pass\n"
    assert [f.key for f in changed_functions(before, after, "k.py")] == ["K.g", "h"]


def test_what_is_not_source_has_no_tests() -> None:
    assert find_tests("def test_a(): pass", "README") == ()
    assert find_tests("\ud800 \x00 def test_a(:", "test_a.py") is not None
    assert compare_tests("", "x", "a.unknown").added == ()


def test_a_long_file_is_read_fast() -> None:
    """20,000 lines, against the bare parser in the same process: 7 times measured."""
    one = "class TestA{i}:\n    @pytest.mark.parametrize('a', [1, 2])\n    def test_b(self, a):\n        x = f(a, 'one', k=1)  # why\n        assert x == [1, 2, 3]\n"
    text = "\n".join(one.replace("{i}", str(i)) for i in range(3400))
    find_tests("def test_a(): pass", "test_warm.py")
    python = language_of("test_long.py")
    assert python is not None
    bare, _ = _timed(lambda: parse(text + "\n", python))
    first, found = _timed(lambda: find_tests(text, "test_long.py"))
    again, _ = _timed(lambda: find_tests(text, "test_long.py"))
    assert len(found) == 3400
    assert first < 20 * bare
    assert again < first / 5


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    answer = call()
    return time.process_time() - start, answer


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(a + b) * c", "a + b * c"),
        ("f?.(x)", "f?.x"),
        ("!(a && b)", "!a && b"),
        ("a === (b === c)", "a === b === c"),
    ],
)
def test_parentheses_that_mean_something_are_kept(before: str, after: str) -> None:
    frame = "test('a', () => {{ assert.ok({}, 1); }});\n"
    assert _names(frame.format(before), frame.format(after), "a.test.js") == {"changed": ["a"]}
