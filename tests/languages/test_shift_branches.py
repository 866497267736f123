"""An assertion inside a branch is shifted once: with its negation as well, it would hold again."""

from __future__ import annotations

import pytest

from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.languages.twins import shift


@pytest.mark.parametrize(
    ("path", "text", "shifted"),
    [
        ("a.test.js", "test('a', () => {\n  try { expect(f(1)).toEqual(2); } finally { g(); }\n});\n",
         "try { expect(f(1)).toEqual(9); } finally"),
        ("a.test.ts", "test('a', () => {\n  if (on) { assert.deepEqual(f(1), 2); }\n});\n", "{ assert.deepEqual(f(1), 9); }"),
        ("a.test.js", "test('a', () => {\n  if (on) { expect(f(1)).not.toBe(2); }\n});\n", "{ expect(f(1)).toBe(2); }"),
        ("a_spec.rb", "it 'a' do\n  if on\n    expect(f(1)).to eq(2)\n  end\nend\n", "expect(f(1)).to eq(9)"),
        ("a_test.rb", "class A < Minitest::Test\n  def test_a\n    if on\n      assert_equal 2, f(1)\n    end\n  end\nend\n",
         "assert_equal 9, f(1)"),
        ("ATest.php", "<?php\nclass ATest extends TestCase {\n  public function testA() {\n    if ($on) { $this->assertSame(2, f(1)); }\n  }\n}\n",
         "$this->assertSame(9, f(1));"),
        ("ATest.java", "class ATest {\n  @Test\n  void a() {\n    if (on) { assertEquals(2, f(1)); }\n  }\n}\n", "{ assertEquals(9, f(1)); }"),
        ("a.t", "use Test::More;\nsubtest 'a' => sub {\n  if ($on) { is(f(1), 2, 'x'); }\n};\n", "{ is(f(1), 9, 'x'); }"),
    ],
)  # fmt: skip
def test_an_assertion_in_a_branch_is_shifted_once(path: str, text: str, shifted: str) -> None:
    (test,) = find_tests(text, path)
    assert shifted in shift(text, path, [test.id], "a1b2c3d4e5f60718").text
