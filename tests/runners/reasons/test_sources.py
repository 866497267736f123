"""What the text of a test file tells: tests, marks, hollow assertions, growth, duplicates."""

from __future__ import annotations

import time

import pytest

from tdd_orchestrator.runners.duplicates import duplicates
from tdd_orchestrator.runners.sources import Unparsable, added_only, defined_tests, weakened

PY = '''\
import pytest
from kata import add

LIMIT = 3


@pytest.fixture
def three():
    return LIMIT


def helper(n):
    assert n > 0


def test_adds(three):
    """Adds."""
    assert add(1, 2) == three


class TestMore:
    def test_zero(self):
        assert add(0, 0) == 0
'''


def test_python_tests_have_the_ids_that_pytest_gives_them():
    found = defined_tests(PY, "tests/test_a.py")
    assert [test.id for test in found] == [
        "tests/test_a.py::test_adds",
        "tests/test_a.py::TestMore::test_zero",
    ]
    assert [test.assertions for test in found] == [1, 1]
    assert [test.line for test in found] == [16, 22]


@pytest.mark.parametrize(
    ("body", "hollow"),
    [
        ("assert True", "always true"),
        ("assert 1 == 1", "always true"),
        ("x = f()\n    assert x == x", "always true"),
        ("assert f() or True", "always true"),
        ("assert (f() == 1, 'message')", "always true"),
        ("self.assertTrue(True)", "always true"),
        ("self.assertEqual(a, a)", "always true"),
        ("assert isinstance(f(), object)", "always true"),
        ("f()", "asserts nothing"),
        ("pass", "asserts nothing"),
        ("try:\n        assert f() == 1\n    except Exception:\n        pass", "swallowed"),
        ("assert f() == 1", ""),
        ("assert True\n    assert f() == 1", ""),
        ("with pytest.raises(ValueError):\n        f()", ""),
        ("mock.assert_called_once()", ""),
        ("check_total(f(), 3)", ""),
        ("try:\n        f()\n    except ValueError:\n        pass\n    else:\n        pytest.fail('no')", ""),
    ],
)
def test_python_hollow_tests(body, hollow):
    (test,) = defined_tests(f"def test_a():\n    {body}\n", "test_a.py")
    assert hollow in test.hollow
    assert bool(test.hollow) is bool(hollow)


@pytest.mark.parametrize(
    ("source", "mark"),
    [
        ("@pytest.mark.skip\ndef test_a(): assert f()", "skip"),
        ("@pytest.mark.xfail(strict=True)\ndef test_a(): assert f()", "xfail"),
        ("@unittest.expectedFailure\ndef test_a(): assert f()", "expectedFailure"),
        ("def test_a():\n    pytest.skip('later')\n    assert f()", "skip"),
        ("pytestmark = [pytest.mark.skipif(True, reason='x')]\ndef test_a(): assert f()", "skipif"),
        ("@pytest.mark.skip\nclass TestA:\n    def test_a(self): assert f()", "skip"),
    ],
)
def test_python_marks(source, mark):
    (test,) = defined_tests(source, "test_a.py")
    assert mark in test.marks


def grown(old: str, new: str, path: str = "tests/test_a.py") -> list[str]:
    return added_only(old, new, path)


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s + "\n\ndef test_new():\n    assert add(2, 2) == 4\n",
        lambda s: s.replace("from kata import add", "from kata import add, sub"),
        lambda s: s.replace("import pytest\n", "import pytest\nimport os\n"),
        lambda s: s + "\n    def test_more(self):\n        assert add(1, 0) == 1\n",
        lambda s: "# a word\n" + s.replace("\n\n\n", "\n\n"),
        lambda s: s.replace(
            "class TestMore", "def test_before():\n    assert add(1, 1) == 2\n\n\nclass TestMore"
        ),
        lambda s: s,
    ],
)
def test_python_growth_is_allowed(change):
    assert grown(PY, change(PY)) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda s: s.replace("== three", "!= three"), "test_adds was changed"),
        (lambda s: s.replace("== 0\n", "== 1\n"), "TestMore.test_zero was changed"),
        (
            lambda s: s.replace("    def test_zero(self):\n        assert add(0, 0) == 0\n", "    pass\n"),
            "test_zero is gone",
        ),
        (lambda s: s.replace("return LIMIT", "return 4"), "three was changed"),
        (lambda s: s.replace("assert n > 0", "return"), "helper was changed"),
        (lambda s: s.replace("LIMIT = 3", "LIMIT = 4"), "LIMIT was changed"),
        (lambda s: s.replace("from kata import add", "from fake import add"), "import of kata.add"),
        (lambda s: s.replace("def test_adds", "@pytest.mark.skip\ndef test_adds"), "test_adds was changed"),
        (lambda s: s + "\n\ndef test_adds(three):\n    pass\n", "test_adds is defined again"),
        (lambda s: s + "\npytestmark = pytest.mark.skip\n", "pytestmark"),
        (lambda s: s + "\ndel test_adds\n", "del test_adds"),
        (lambda s: s + "\nTestMore.test_zero = None\n", "TestMore.test_zero = None"),
        (lambda s: s + "\n@pytest.fixture(autouse=True)\ndef quiet():\n    yield\n", "quiet"),
        (lambda s: s.replace("class TestMore:", "class TestMore(Base):"), "other bases"),
        (lambda s: s + "\nLIMIT = 9\n", "LIMIT is defined again"),
    ],
)
def test_python_meddling_is_told(change, told):
    assert told in " ".join(grown(PY, change(PY)))


def test_python_that_cannot_be_parsed_is_said_with_its_line():
    with pytest.raises(Unparsable, match=r"test_a\.py:2"):
        defined_tests("x = 1\ndef f(:\n", "test_a.py")


TEXTS = {
    "a.test.js": (
        "import { add } from './sum';\n\ndescribe('sum', () => {\n  it('adds', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n\n"
        "  // it('is a comment', () => {})\n  it.skip('later', () => { expect(add(1, 1)).toBe(2); });\n"
        "  test('hollow', () => { expect(true).toBe(true); });\n  test('empty', () => {});\n});\n",
        [("sum", "adds", 1, False, ""), ("sum", "later", 1, True, ""), ("sum", "hollow", 1, False, "always"),
         ("sum", "empty", 0, False, "nothing")],
    ),
    "a_test.go": (
        'package x\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("}")\n\t}\n}\n\n'
        'func TestLater(t *testing.T) {\n\tt.Skip("later")\n\tt.Error()\n}\n',
        [("", "TestAdd", 1, False, ""), ("", "TestLater", 1, True, "")],
    ),
    "tests/a.rs": (
        "use x::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n\n#[test]\n#[ignore]\nfn later() {\n    assert!(true);\n}\n",
        [("", "adds", 1, False, ""), ("", "later", 1, True, "always")],
    ),
    "ATest.java": (
        "package a;\n\nclass ATest {\n    @Test\n    void adds() {\n        assertEquals(3, add(1, 2));\n    }\n\n"
        "    @Test\n    @Disabled\n    void later() {\n        assertTrue(true);\n    }\n}\n",
        [("ATest", "adds", 1, False, ""), ("ATest", "later", 1, True, "always")],
    ),
    "a_spec.rb": (
        "RSpec.describe 'sum' do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\n\n  xit 'later' do\n    expect(1).to eq(2)\n  end\nend\n",
        [("sum", "adds", 1, False, ""), ("sum", "later", 1, True, "")],
    ),
    "ATest.php": (
        "<?php\nclass ATest extends TestCase\n{\n    public function testAdds(): void\n    {\n        $this->assertSame(3, add(1, 2));\n    }\n}\n",
        [("ATest", "testAdds", 1, False, "")],
    ),
    "a.cpp": (
        "#include <gtest/gtest.h>\n\nTEST(Sum, Adds) {\n  EXPECT_EQ(add(1, 2), 3);\n}\n\nTEST(Sum, Later) {\n  GTEST_SKIP();\n  EXPECT_EQ(1, 1);\n}\n",
        [("", "Sum, Adds", 1, False, ""), ("", "Sum, Later", 1, True, "always")],
    ),
    "a_test.exs": (
        'defmodule ATest do\n  use ExUnit.Case\n\n  test "adds" do\n    assert add(1, 2) == 3\n  end\nend\n',
        [("ATest", "adds", 1, False, "")],
    ),
    "a.t": (
        "use strict;\nuse Test::More tests => 4;\nuse Sum;\n\nis(Sum::add(1, 2), 3, 'adds');\n"
        "is_deeply [Sum::both({ a => 1 })], [1], \"it's a list\";\nok(1, 'hollow');\n# ok(0, 'a comment');\n"
        "subtest 'groups' => sub {\n    is(Sum::add(1, 1), 2, 'inside');\n};\ndone_testing;\n",
        [("", "adds", 1, False, ""), ("", "it's a list", 1, False, ""), ("", "hollow", 1, False, "always"),
         ("", "groups", 1, False, "")],
    ),
    "ATests.swift": (
        'import Testing\n@testable import Kata\n\n@Suite("of (two)") struct Sums {\n'
        "    @Test(arguments: [(2, 4), (3, 6)]) func doubles(a: Int, b: Int) { #expect(double(a) == b) }\n"
        '    @Test("greets (at once", .disabled())\n    @MainActor\n    func greets() throws { try #require(greet() == "}") }\n'
        "    @Test func `adds two`() { #expect(true) }\n    func helper() {}\n}\n\n"
        "final class OldTests: XCTestCase {\n    func testOld() { XCTAssertEqual(double(2), 4) }\n    func testVoid() {}\n}\n",
        [("Sums", "doubles", 1, False, ""), ("Sums", "greets", 1, True, ""), ("Sums", "`adds two`", 1, False, "always"),
         ("OldTests", "testOld", 1, False, ""), ("OldTests", "testVoid", 0, False, "nothing")],
    ),
    "a.bats": ('@test "adds" {\n  [ 3 -eq 3 ]\n}\n', [("", "adds", 1, False, "")]),
}  # fmt: skip


@pytest.mark.parametrize("path", TEXTS)
def test_other_languages(path):
    source, expected = TEXTS[path]
    found = defined_tests(source, path)
    assert [test.name for test in found] == [name for _, name, *_ in expected]
    for test, (group, _, asserted, marked, hollow) in zip(found, expected, strict=True):
        assert test.title[0] == (group or test.name)
        assert (test.assertions, bool(test.marks)) == (asserted, marked), test
        assert hollow in test.hollow
        assert bool(test.hollow) is bool(hollow)


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("a.test.js", lambda s: s.replace("{ add }", "{ add, sub }")),
        ("a.test.js", lambda s: s.replace("  test('empty'", "  it('subs', () => {\n    expect(sub(1)).toBe(0);\n  });\n  test('empty'")),
        ("a_test.go", lambda s: s + "\nfunc TestSub(t *testing.T) {\n\tif Sub(1) != 0 {\n\t\tt.Fatal()\n\t}\n}\n"),
        ("a_test.go", lambda s: s.replace('import "testing"', 'import (\n\t"errors"\n\t"testing"\n)')),
        ("tests/a.rs", lambda s: s.replace("use x::add;", "use x::{add, sub};") + "\n#[test]\nfn subs() {\n    assert_eq!(sub(1), 0);\n}\n"),
        ("ATest.java", lambda s: s[:-2] + "\n    @Test\n    void subs() {\n        assertEquals(0, sub(1));\n    }\n}\n"),
        ("a_spec.rb", lambda s: s[:-4] + "\n  it 'subs' do\n    expect(sub(1)).to eq(0)\n  end\nend\n"),
        ("ATest.php", lambda s: s[:-2] + "\n    public function testSubs(): void\n    {\n        $this->assertSame(0, sub(1));\n    }\n}\n"),
        ("a.cpp", lambda s: s + "\nTEST(Sum, Subs) {\n  EXPECT_EQ(sub(1), 0);\n}\n"),
        ("a.bats", lambda s: s + '\n@test "subs" {\n  [ 1 -eq 1 ]\n}\n'),
        ("a.t", lambda s: s.replace("tests => 4", "tests => 5").replace("done", "is(Sum::sub(1), 0, 'subs');\ndone")),
        ("a_test.exs", lambda s: s[:-4] + '\n  test "subs" do\n    assert sub(1) == 0\n  end\nend\n'),
    ],
)  # fmt: skip
def test_growth_in_other_languages(path, change):
    before = TEXTS[path][0]
    assert added_only(before, change(before), path) == []


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("a.test.js", lambda s: s.replace("toBe(3)", "toBe(4)")),
        ("a.test.js", lambda s: s.replace("    expect(add(1, 2))", "    return;\n    expect(add(1, 2))")),
        ("a.test.js", lambda s: s.replace("it('adds'", "it.skip('adds'")),
        ("a_test.go", lambda s: s.replace("\tif Add", "\treturn\n\tif Add")),
        ("a_test.go", lambda s: s.replace("TestAdd", "TestOther")),
        ("tests/a.rs", lambda s: s.replace("#[test]\nfn adds", "fn adds")),
        ("ATest.java", lambda s: s.replace("    @Test\n    void adds", "    void adds")),
        ("a_spec.rb", lambda s: s.replace("    expect(add", "    skip\n    expect(add")),
        ("ATest.php", lambda s: s.replace("        $this", "        return;\n        $this")),
        ("a.cpp", lambda s: s.replace("  EXPECT_EQ(add(1, 2), 3);\n", "")),
        ("a.bats", lambda s: s.replace("  [ 3", "  skip\n  [ 3")),
        ("a.t", lambda s: s.replace("2), 3", "2), 4")),
        ("a.t", lambda s: s.replace("    is(Sum", "    return;\n    is(Sum")),
        ("a_test.exs", lambda s: s.replace("== 3", "== 4")),
    ],
)  # fmt: skip
def test_meddling_in_other_languages(path, change):
    before = TEXTS[path][0]
    assert added_only(before, change(before), path)


def test_weakened():
    old = defined_tests(PY, "a.py")
    assert weakened(old, old) == []
    gone = weakened(old, defined_tests(PY.replace("test_zero", "test_nought"), "a.py"))
    assert gone == ["a.py::TestMore::test_zero is gone."]
    fewer = weakened(old, defined_tests(PY.replace("assert add(0, 0) == 0", "add(0, 0)"), "a.py"))
    assert any("asserts 0 things" in one for one in fewer)
    assert weakened(
        old, defined_tests(PY.replace("def test_adds", "@pytest.mark.skip\ndef test_adds"), "a.py")
    )


def test_duplicates_by_body_whatever_the_names():
    old = defined_tests("def test_a():\n    x = add(1, 2)\n    assert x == 3\n", "tests/test_a.py")
    new = defined_tests(
        'def test_b():\n    """Other words."""\n    y = add(1, 2)\n    assert y == 3\n', "tests/test_b.py"
    )
    (hit,) = duplicates(new, old)
    assert (hit.new.name, hit.old.name) == ("test_b", "test_a")


def test_duplicates_by_name_only_for_the_same_thing():
    old = defined_tests("def test_empty():\n    assert Stack().is_empty()\n", "tests/test_stack.py")
    other = defined_tests("def test_empty():\n    assert Queue().length() == 0\n", "tests/test_queue.py")
    same = defined_tests("def test_empty():\n    assert Stack().is_empty() is True\n", "tests/test_more.py")
    assert duplicates(other, old) == []
    assert len(duplicates(same, old)) == 1


def test_another_value_is_another_behaviour():
    old = defined_tests("def test_a():\n    assert add(1, 2) == 3\n", "tests/test_a.py")
    new = defined_tests("def test_b():\n    assert add(2, 2) == 4\n", "tests/test_a.py")
    assert duplicates(new, old) == []


def test_duplicates_in_javascript():
    old = defined_tests("it('adds', () => { expect(add(1, 2)).toBe(3); });\n", "a.test.js")
    new = defined_tests("it('sums up', () => {\n  // again\n  expect(add(1, 2)).toBe(3);\n});\n", "b.test.js")
    assert len(duplicates(new, old)) == 1


def test_unknown_language_has_no_tests_and_is_compared_by_lines():
    assert defined_tests("whatever", "a.zig") == ()
    assert added_only("a\n", "a\nb\n", "a.zig") == []
    assert added_only("a\n", "b\n", "a.zig")


@pytest.mark.parametrize(
    "path", ["a.test.js", "a_test.go", "a_spec.rb", "ATest.java", "a.exs", "t.rs", "a.t"]
)
def test_hostile_sources_take_linear_time(path: str) -> None:
    begun = time.perf_counter()
    for flood in (
        "'\\",
        '"\\',
        "`\\",
        "/*",
        "test('a', ",
        "it('a', () => {",
        "@Test ",
        "#[test]\n",
        "{",
        "\n    \n",
    ):
        defined_tests(flood * (20_000 // len(flood)), path)
    assert time.perf_counter() - begun < 20


def test_a_byte_order_mark_is_not_a_character_of_python() -> None:
    assert [one.name for one in defined_tests("\ufeffdef test_a():\n    assert one()\n", "test_a.py")] == [
        "test_a"
    ]
