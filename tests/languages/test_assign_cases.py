"""Names of cases in reports, as runners print them, belong to the right tests."""

from __future__ import annotations

import pytest

from tdd_orchestrator.languages.cases import SURE, assign_cases, score
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.model.report import Case, Outcome

PY = "def test_a(): pass\ndef test_ab(): pass\nclass TestK:\n    def test_a(self): pass\n"
JS = "describe('calc', () => { it('adds', () => {}); it('adds wrong', () => {}); });\nit('adds', () => {});\nit.each([1])('row %i', () => {});\n"
SUB = "test('doubles', async (t) => { await t.test('one', () => {}); });\n"
LOOPS = """describe('with', () => {
  for (const t of rows) { test(JSON.stringify(t.a) + " + " + t['b'], () => { expect(f(t)).toBe(1); }); }
  it('alone', () => {});
});
describe('without', () => {
  for (const t of rows) { test(JSON.stringify(t.a) + " + " + t.b, () => { expect(g(t)).toBe(1); }); }
  for (const [name] of rows) { it(name, () => {}); }
});
describe(`of ${kind}`, () => { it('adds', () => {}); });
names.forEach((name) => test(name, () => {}));
"""
GO = "package k\nfunc TestA(t *testing.T) {}\nfunc TestAb(t *testing.T) {}\n"
RS = "#[test]\nfn greets() {}\nmod tests {\n  #[test]\n  fn greets() {}\n}\n"

FOUND = [
    (PY, "tests/test_k.py", "tests/test_k.py::test_a", "test_a"),
    (PY, "tests/test_k.py", "tests/test_k.py::test_a[1-2]", "test_a"),
    (PY, "tests/test_k.py", "tests/test_k.py::TestK::test_a", "TestK::test_a"),
    (PY, "tests/test_k.py", "test_a (tests.test_k.TestK.test_a)", "TestK::test_a"),
    (PY, "tests/test_k.py", "test_a (tests.test_k.TestK) (i=1)", "TestK::test_a"),
    (PY, "tests/test_k.py", "tests.test_k.TestK::test_a", "TestK::test_a"),
    (PY, "tests/test_k.py", "test_ab", "test_ab"),
    (JS, "test/k.test.js", "test/k.test.js::calc › adds", "calc::adds"),
    (JS, "test/k.test.js", "calc adds wrong", "calc::adds wrong"),
    (JS, "test/k.test.js", "test/k.test.js > adds", "adds"),
    (JS, "test/k.test.js", "row 7", "row %i"),
    (LOOPS, "test/k.test.js", 'test/k.test.js::with > "x" + 2', "with::${JSON.stringify(t.a)} + ${t['b']}"),
    (LOOPS, "test/k.test.js", "test/k.test.js::with > alone", "with::alone"),
    (LOOPS, "test/k.test.js", 'without "x" + 2', "without::${JSON.stringify(t.a)} + ${t.b}"),
    (LOOPS, "test/k.test.js", "test/k.test.js::without > zero", "without::${name}"),
    (LOOPS, "test/k.test.js", "test/k.test.js::of two > adds", "of ${kind}::adds"),
    (LOOPS, "test/k.test.js", "test/k.test.js::zero", "${name}"),
    (SUB, "test/k.test.js", "one", "doubles"),
    (SUB, "test/k.test.js", "doubles > one", "doubles"),
    (SUB, "test/k.test.js", "doubles", "doubles"),
    (GO, "k/k_test.go", "example.com/demo/k::TestA", "TestA"),
    (GO, "k/k_test.go", "TestA/one#01", "TestA"),
    (GO, "k/k_test.go", "TestAb", "TestAb"),
    (RS, "src/k.rs", "acme::k::tests::greets", "tests::greets"),
    (RS, "src/k.rs", "greets", "greets"),
]


@pytest.mark.parametrize(("text", "path", "case", "expected"), FOUND)
def test_a_case_belongs_to_its_test(text: str, path: str, case: str, expected: str) -> None:
    tests = find_tests(text, path)
    found = assign_cases(tests, [Case(case, case, Outcome.PASSED)])
    assert [key for key, cases in found.items() if cases] == [f"{path}::{expected}"]
    test = next(test for test in tests if test.id == f"{path}::{expected}")
    assert score(test, case, case) >= SURE


@pytest.mark.parametrize(
    ("text", "path", "case"),
    [
        (PY, "tests/test_k.py", "tests/test_k.py::test_abc"),
        (PY, "tests/test_k.py", "tests/test_other.py::test_zz"),
        (JS, "test/k.test.js", "subtracts"),
        (GO, "k/k_test.go", "TestAbc"),
    ],
)
def test_a_case_of_another_test_belongs_to_none(text: str, path: str, case: str) -> None:
    assert not any(assign_cases(find_tests(text, path), [Case(case, case, Outcome.PASSED)]).values())


def test_a_test_of_that_name_in_another_file_is_another() -> None:
    test = find_tests(PY, "tests/test_k.py")[0]
    assert score(test, "tests/test_other.py::test_a", "tests/test_other.py::test_a") < SURE


def test_a_go_test_that_fails_in_a_helper_of_its_package_is_that_test() -> None:
    """Go prints the line of `t.Errorf`, which may stand in another test file of the package."""
    tests = find_tests(GO, "k/k_test.go")
    for file, sure in (("k/common_test.go", True), ("common_test.go", True), ("l/common_test.go", False)):
        failing = Case("example.com/demo/k::TestA", "TestA", Outcome.FAILED, file)
        assert (score(tests[0], failing.id, failing.name, failing.file) >= SURE) is sure


def test_rows_belong_to_one_test_and_the_directory_decides_between_packages() -> None:
    tests = find_tests(GO, "a/k_test.go") + find_tests(GO, "b/k_test.go")
    cases = [Case(f"x.org/{d}::TestA/{n}", f"TestA/{n}", Outcome.PASSED) for d in "ab" for n in (1, 2)]
    found = assign_cases(tests, cases)
    assert [case.id for case in found["b/k_test.go::TestA"]] == ["x.org/b::TestA/1", "x.org/b::TestA/2"]


def test_a_test_of_a_base_class_runs_under_the_names_of_others() -> None:
    tests = find_tests("class Common:\n    def test_x(self): pass\n", "test_k.py")
    case = Case("test_k.py::TestReal::test_x", "test_k.py::TestReal::test_x", Outcome.PASSED, "test_k.py")
    assert assign_cases(tests, [case])["test_k.py::Common::test_x"] == (case,)
    assert score(tests[0], "test_k.py::TestReal::test_x", "") < SURE


def test_an_example_in_a_comment_is_not_the_test_of_that_name() -> None:
    """cargo runs both: the unit test fails as it must, and the example of a method of that name passes."""
    text = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn bin_name() {\n        assert!(true);\n    }\n}\n"
    unit, example = "unittests src/lib.rs::tests::bin_name", "lexer::src/lib.rs - Parser::bin_name"
    cases = [Case(unit, "tests::bin_name", Outcome.FAILED), Case(example, example[7:], Outcome.PASSED)]
    (found,) = assign_cases(find_tests(text, "src/lib.rs"), cases).values()
    assert [case.id for case in found] == [unit]
