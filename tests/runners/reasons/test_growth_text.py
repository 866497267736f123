"""What RED may add to a test file of another language that is there, and what acts on the tests that were."""

from __future__ import annotations

import time

import pytest

from tdd_orchestrator.runners.sources import added_only

OLD = {
    "a.test.js": '''\
const test = require("node:test");
const assert = require("node:assert");
const { greet } = require("../greet.js");

const CASES = [[1, 2], [2, 4]];
const ALLOWED = ["hello ada", "hello  ada"];

function plain(text) {
  return text.trim();
}

test("greets", () => { assert.strictEqual(plain(greet("ada")), "hello ada"); });

test.each([[1, 2], [3, 4]])("adds %i", (a, b) => { assert.ok(a < b); });

test.each([
  [1, 2],
  [3, 4]
])("takes %i", (a, b) => { assert.ok(a < b); });

test.each(CASES)("twice %i", (a, b) => {
  assert.ok(a < b);
  assert.ok(ALLOWED.includes(greet("ada")));
});

describe("a group", () => {
  it("greets", () => { assert.ok(greet("bob")); });
});
''',
    "a_test.rb": '''\
require "minitest/autorun"
require_relative "../lib/greet"

class GreetTest < Minitest::Test
  def test_greets
    assert_equal "hello ada", greet("ada")
  end
end
''',
    "ATest.php": '''\
<?php
class ATest extends TestCase
{
    public function testGreets(): void
    {
        $this->assertSame("hello", greet());
    }
}
''',
    "ATest.java": '''\
class ATest {
    @Test
    void greets() {
        assertEquals("hello", greet());
    }
}
''',
    "a.bats": '@test "greets" {\n  run greet ada\n  [ "$output" = "hello ada" ]\n}\n',
    "a_spec.lua": 'local greet = require("greet")\n\ndescribe("greet", function()\n  it("greets", function()\n    assert.are.equal(greet(), 1)\n  end)\nend)\n',
    "a.t": "use Test::More;\nuse Greet;\n\nis(greet(), 1, 'greets');\ndone_testing;\n",
    "a_test.go": 'package a\n\nfunc TestGreets(t *testing.T) {\n\tif greet() != 1 {\n\t\tt.Fatal()\n\t}\n}\n',
}  # fmt: skip


def altered(path: str, old: str, new: str) -> list[str]:
    assert old in OLD[path]
    return added_only(OLD[path], OLD[path].replace(old, new, 1), path)


def added(path: str, tail: str) -> list[str]:
    return added_only(OLD[path], f"{OLD[path]}\n{tail}\n", path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("each([[1, 2], [3, 4]])", "each([[1, 2], [3, 4], [5, 6]])"),
        ("  [3, 4]\n", "  [3, 4],\n  [5, 6]\n"),
        ("CASES = [[1, 2], [2, 4]]", "CASES = [[1, 2], [2, 4], [3, 6]]"),
    ],
)
def test_a_case_more_is_growth(old, new):
    assert altered("a.test.js", old, new) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("each([[1, 2], [3, 4]])", "each([[1, 2]])"),
        ("each([[1, 2], [3, 4]])", "each([[1, 2], [3, 4]].slice(1))"),
        ("each([[1, 2], [3, 4]])", "each([[1, 2], [3, 4], ].concat([1]).slice(3))"),
        ("each([[1, 2], [3, 4]])", "each([[1, 2], [3, 5]])"),
        ("each([[1, 2], [3, 4]])", "each([[1, 2], [3, 4, 5]])"),
        ('"hello  ada"]', '"hello  ada", undefined]'),
        (
            'each([[1, 2], [3, 4]])("adds %i", (a, b) => {',
            'each([[1, 2], [3, 4], [5, 6]])("adds %i", (a, b) => {\n  return;\n',
        ),
        ("  [1, 2],\n", "  [1, 2]\n"),
        ("  return text.trim();\n", "  return text.trim(),\n"),
        ("CASES = [[1, 2], [2, 4]]", "CASES = [[1, 2], [2, 4]].slice(2), x = [1]"),
    ],
)
def test_a_case_that_was_there_is_not_to_change(old, new):
    assert altered("a.test.js", old, new)


@pytest.mark.parametrize(
    ("path", "tail"),
    [
        ("a.test.js", 'test("doubles", () => {\n  const { double } = require("../double.js");\n  assert.strictEqual(double(2), 4);\n});'),
        ("a.test.js", 'describe("doubling", () => {\n  beforeEach(() => { reset(); });\n  it("doubles", () => { assert.ok(double(2)); });\n});'),
        ("a.test.js", "const { strictEqual } = assert;\nconst MORE = [1];\nfunction helper(text) {\n  return text;\n}"),
        ("a.test.js", 'jest.mock("../double.js");'),
        ("a.test.js", "// assert.strictEqual = () => {};"),
        ("a_test.rb", 'class DoubleTest < Minitest::Test\n  def setup\n    @two = 2\n  end\n\n  def test_doubles\n    assert_equal 4, double(@two)\n  end\nend'),
        ("a_test.rb", "def two\n  2\nend"),
        ("ATest.php", "class BTest extends TestCase\n{\n    public function setUp(): void\n    {\n        $this->two = 2;\n    }\n}"),
        ("a.bats", '@test "doubles" {\n  run double 2\n  [ "$output" = 4 ]\n}\n\nsame() {\n  [ "$1" = "$2" ]\n}'),
        ("a_spec.lua", 'local double = require("double")\n\nlocal two = 2\n'),
        ("a.t", "use Double;\nis(double(2), 4, 'doubles');\nsub two { 2 }"),
    ],
)  # fmt: skip
def test_honest_additions(path, tail):
    assert added(path, tail) == []


@pytest.mark.parametrize(
    ("path", "tail"),
    [
        ("a.test.js", "assert.strictEqual = (a, b) => {};"),
        ("a.test.js", 'test("first", () => { assert.strictEqual = () => {}; });'),
        ("a.test.js", "Object.assign(assert, { strictEqual: () => {} });"),
        ("a.test.js", 'require.cache[require.resolve("../greet.js")].exports.greet = () => "hello ada";'),
        ("a.test.js", "const a = assert;\na.strictEqual = () => {};"),
        ("a.test.js", "function plain() { return 'hello ada'; }"),
        ("a.test.js", "plain = () => 'hello ada';"),
        ("a.test.js", "mock.method(assert, 'strictEqual', () => {});"),
        ("a.test.js", "test.beforeEach((t) => { t.skip(); });"),
        ("a.test.js", "beforeEach(() => {});"),
        ("a.test.js", 'jest.mock("../greet.js");'),
        ("a_test.rb", 'class GreetTest\n  def greet(_name) = "hello ada"\nend'),
        ("a_test.rb", 'class GreetTest < Minitest::Test\n  def assert_equal(*) = true\nend'),
        ("a_test.rb", 'def greet(_name) = "hello ada"'),
        ("a_test.rb", 'GreetTest.prepend(Module.new { def greet(_name) = "hello ada" })'),
        ("a_test.rb", "class Minitest::Test\n  def assert_equal(*) = true\nend"),
        ("a_test.rb", "module Kernel\n  def greet(*) = 1\nend"),
        ("a.bats", "greet() { echo hello ada; }"),
        ("a.bats", "setup() {\n  :\n}"),
        ("a_spec.lua", "assert.are.equal = function() end"),
        ("a_spec.lua", "greet = function() return 1 end"),
        ("a_spec.lua", "before_each(function() end)"),
        ("a.t", "sub greet { 1 }"),
        ("a.t", "*main::is = sub { pass };"),
        ("a_test.go", "func init() {\n\tgreet = nil\n}"),
    ],
)  # fmt: skip
def test_hands_in_what_was_there(path, tail):
    assert added(path, tail)


@pytest.mark.parametrize(
    ("path", "end", "member"),
    [
        ("a_test.rb", "\nend\n", "\n\n  def setup\n    @two = 2\n  end\nend\n"),
        ("a_test.rb", "\nend\n", "\n\n  def assert_equal(*) = true\nend\n"),
        ("ATest.php", "\n}\n", "\n\n    protected function setUp(): void\n    {\n    }\n}\n"),
        ("ATest.php", "\n}\n", "\n\n    public static function assertSame($a, $b): void\n    {\n    }\n}\n"),
        ("ATest.java", "\n}\n", "\n\n    @BeforeEach\n    void ready() {\n    }\n}\n"),
        ("a.test.js", "\n});\n\ndescribe", "\n});\n\nafterEach(() => {});\n\ndescribe"),
        ("a.test.js", 'describe("a group", () => {', 'describe("a group", () => {\n  beforeEach(() => {});'),
    ],
)
def test_members_that_act_on_the_tests_of_their_class(path, end, member):
    assert altered(path, end, member)


@pytest.mark.parametrize("path", ["a.test.js", "a_test.rb", "a_spec.lua", "a.t"])
def test_hostile_lines_take_linear_time(path):
    begun = time.perf_counter()
    for flood in ("a.", "a[", "Object.assign(", "[", "each([", "const a = [", "\t", "class A "):
        added(path, flood * (20_000 // len(flood)))
        added_only(
            f"{OLD[path]}\ntest.each([{flood * 500}])", f"{OLD[path]}\ntest.each([{flood * 500}, 1])", path
        )
    assert time.perf_counter() - begun < 20


@pytest.mark.parametrize("path", ["a_test.rb", "a_spec.lua"])
def test_empty_lines_at_the_end_are_growth(path):
    assert added(path, "\n\n") == []
