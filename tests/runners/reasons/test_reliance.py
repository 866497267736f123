"""A test that passes at once shows that a behaviour is covered only where it leans on something of the project's."""

from __future__ import annotations

import pytest

from tdd_orchestrator.runners.sources import defined_tests, idle

PYTHON = [
    ("def test_a():\n    assert 1 + 1 == 2\n", False),
    ("def test_a():\n    x = 5\n    assert x == 5\n", False),
    ("def test_a():\n    assert sorted([2, 1]) == [1, 2]\n", False),
    ("def test_a():\n    assert 'a'.upper() == 'A'\n", False),
    ("import math\n\n\ndef test_a():\n    assert math.floor(1.5) == 1\n", False),
    ("def test_a():\n    from datetime import date\n    assert date(2020, 1, 1).year == 2020\n", False),
    ("def double(n):\n    return 2 * n\n\n\ndef test_a():\n    assert double(2) == 4\n", False),
    ("class Double:\n    def of(self, n):\n        return 2 * n\n\n\ndef test_a():\n    assert Double().of(2) == 4\n", False),
    ("TABLE = {1: 2}\n\n\ndef test_a():\n    assert TABLE[1] == 2\n", False),
    ("def test_a(tmp_path):\n    assert tmp_path\n", False),
    ("import pytest\n\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_a(n):\n    assert n > 0\n", False),
    ("import unittest\n\n\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(2 + 2, 4)\n", False),
    ("import unittest\n\n\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        self.x = 4\n        self.assertEqual(self.x, 4)\n", False),
    ("import pytest\n\n\n@pytest.fixture\ndef four():\n    return 4\n\n\ndef test_a(four):\n    assert four == 4\n", False),
    ("from double import double\n\n\ndef test_a():\n    assert double(2) == 4\n", True),
    ("import double\n\n\ndef test_a():\n    assert double.of(2) == 4\n", True),
    ("def test_a(client):\n    assert client.get('/').status == 200\n", True),
    ("def test_a():\n    assert later() == 4\n", True),
    ("from app import *\n\n\ndef test_a():\n    assert double(2) == 4\n", True),
    ("import subprocess\n\n\ndef test_a():\n    assert subprocess.run(['./double', '2']).returncode == 0\n", True),
    ("def test_a():\n    assert open('README.md').read()\n", True),
    ("from double import double\n\n\ndef check(n):\n    assert double(n) == 2 * n\n\n\ndef test_a():\n    check(2)\n", True),
    ("from double import double\n\n\n@pytest.fixture\ndef four():\n    return double(2)\n\n\ndef test_a(four):\n    assert four == 4\n", True),
    ("@pytest.mark.parametrize('n', [double(1), 2])\ndef test_a(n):\n    assert n == 2\n", True),
    ("class TestA(TestCase):\n    def setUp(self):\n        self.sum = make()\n\n    def test_a(self):\n        self.assertEqual(self.sum, 4)\n", True),
    ("class TestA(TestCase):\n    def test_a(self):\n        self.assertEqual(self.client.get('/'), 4)\n", True),
    ("from pathlib import Path\n\n\ndef test_a():\n    assert Path('x').exists()\n", True),
]  # fmt: skip


@pytest.mark.parametrize(("source", "relies"), PYTHON)
def test_what_a_python_test_leans_on(source, relies):
    (test,) = (one.id for one in defined_tests(source, "tests/test_a.py"))
    assert (test in idle(source, "tests/test_a.py")) is not relies


TEXTS = [
    ("a.test.js", "it('a', () => {\n  expect(4).toBe(4);\n});\n", False),
    ("a.test.js", "it('a', () => {\n  expect(2 + 2).toBe(4);\n});\n", False),
    ("a.test.js", "it('a', () => {\n  const x = 4;\n  assert.strictEqual(x, 4);\n});\n", False),
    ("a.test.js", "it('a', async () => {\n  expect(Math.max(1, 2)).toBe(2);\n  expect('a'.length).toBe(1);\n});\n", False),
    ("a.test.js", "const double = (n) => 2 * n;\nit('a', () => {\n  expect(double(2)).toBe(4);\n});\n", False),
    ("a.test.js", "function double(n) {\n  return 2 * n;\n}\nit('a', () => {\n  expect(double(2)).toBe(4);\n});\n", False),
    ("a.test.js", "const { double } = require('../double');\nit('a', () => {\n  expect(double(2)).toBe(4);\n});\n", True),
    ("a.test.js", "const double = require('../double');\nit('a', () => {\n  expect(double(2)).toBe(4);\n});\n", True),
    ("a.test.ts", "test('a', async ({ page }) => {\n  await expect(page).toHaveTitle('x');\n});\n", True),
    ("a.test.js", "it('a', () => {\n  render(<App />);\n  expect(screen.getByText('x')).toBeVisible();\n});\n", True),
    ("a.test.js", "it('a', () => {\n  cy.visit('/');\n});\n", True),
    ("a_test.go", "func TestA(t *testing.T) {\n\tif 4 != 4 {\n\t\tt.Fatal()\n\t}\n}\n", False),
    ("a_test.go", "func TestA(t *testing.T) {\n\tx := 2\n\tif x+x != 4 {\n\t\tt.Fatalf(\"no %d\", x)\n\t}\n}\n", False),
    ("a_test.go", "func TestA(t *testing.T) {\n\tif got := Double(2); got != 4 {\n\t\tt.Fatal(got)\n\t}\n}\n", True),
    ("tests/a.rs", "#[test]\nfn a() {\n    let x = 4;\n    assert_eq!(x, 4);\n}\n", False),
    ("tests/a.rs", "#[test]\nfn a() {\n    assert_eq!(double(2), 4);\n}\n", True),
    ("ATest.java", "class ATest {\n  @Test\n  void a() {\n    int x = 4;\n    assertEquals(4, x);\n  }\n}\n", False),
    ("ATest.java", "class ATest {\n  @Test\n  void a() {\n    assertEquals(4, new Doubler().of(2));\n  }\n}\n", True),
    ("a_test.rb", "class ATest < Minitest::Test\n  def test_a\n    assert_equal 4, 2 + 2\n  end\nend\n", False),
    ("a_test.rb", "class ATest < Minitest::Test\n  def test_a\n    assert_equal 4, double(2)\n  end\nend\n", True),
    ("a_spec.rb", "describe 'a' do\n  it 'a' do\n    expect(4).to eq(4)\n  end\nend\n", False),
    ("a_spec.rb", "describe Double do\n  it 'a' do\n    expect(subject.of(2)).to eq(4)\n  end\nend\n", True),
    ("ATest.php", "<?php\nclass ATest extends TestCase {\n  public function testA() {\n    $x = 4;\n    $this->assertSame(4, $x);\n  }\n}\n", False),
    ("ATest.php", "<?php\nclass ATest extends TestCase {\n  public function testA() {\n    $this->assertSame(4, Doubler::of(2));\n  }\n}\n", True),
    ("ATest.php", "<?php\nclass ATest extends TestCase {\n  protected function setUp(): void { $this->sum = new Sum; }\n"
     "  public function testA() {\n    $this->assertSame(4, $this->sum->of(2));\n  }\n}\n", True),
    ("ATest.php", "<?php\nclass ATest extends TestCase {\n  private function of($n) { return Sum::of($n); }\n"
     "  public function testA() {\n    self::assertSame(4, self::of(2));\n  }\n}\n", True),
    ("ATest.php", "<?php\nfunction twice($n)\n{\n  return Sum::of($n);\n}\nit('a', function () {\n  expect(twice(2))->toBe(4);\n});\n", True),
    ("ATest.php", "<?php\nfunction twice($n)\n{\n  return 2 * $n;\n}\nit('a', function () {\n  expect(twice(2))->toBe(4);\n});\n", False),
    ("ATest.java", "class ATest {\n  Sum sum = new Sum();\n  @Test\n  void a() {\n    assertEquals(4, this.sum.of(2));\n  }\n}\n", True),
    ("a_test.exs", "test \"a\" do\n  assert 2 + 2 == 4\nend\n", False),
    ("a_test.exs", "test \"a\" do\n  assert Double.of(2) == 4\nend\n", True),
    ("a_spec.lua", "it('a', function()\n  assert.is_true(true)\nend)\n", False),
    ("a_spec.lua", "it('a', function()\n  assert.are.equal(4, double(2))\nend)\n", True),
    ("a.bats", "@test \"a\" {\n  [ 4 -eq 4 ]\n}\n", False),
    ("a.bats", "@test \"a\" {\n  run true\n  [ \"$status\" -eq 0 ]\n}\n", False),
    ("a.bats", "@test \"a\" {\n  run ./double.sh 2\n  [ \"$output\" = 4 ]\n}\n", True),
    ("a.bats", "@test \"a\" {\n  [ \"$(./double.sh 2)\" -eq 4 ]\n}\n", True),
    ("t/a.t", "use Test::More;\nok(1, 'a');\n", False),
    ("t/a.t", "ok 1, 'a';\n", False),
    ("t/a.t", "is(1, 1, 'a');\n", False),
    ("t/a.t", "is(uc('a'), 'A', 'a');\n", False),
    ("t/a.t", "is_deeply([map { 2 * $_ } 1, 2], [2, 4], 'a');\n", False),
    ("t/a.t", "sub double { return 2 * 2 }\nis(double(2), 4, 'a');\n", False),
    ("t/a.t", "sub double\n{\n    my $n = 2;\n    return 2 * $n;\n}\nis(double(2), 4, 'a');\n", False),
    ("t/a.t", "subtest 'a' => sub {\n    my $x = 4;\n    is($x, 4);\n};\n", False),
    ("t/a.t", "subtest 'a' => sub\n{\n    my $x = 4;\n    is($x, 4);\n};\n", False),
    ("t/a.t", "is(double(2), 4, 'a');\n", True),
    ("t/a.t", "is Double::double(2), 4, 'a';\n", True),
    ("t/a.t", "my $values = double(2);\nis($values, 4, 'a');\n", True),
    ("t/a.t", "my @x;\npush @x, double(2);\nis_deeply(\\@x, [4], 'a');\n", True),
    ("t/a.t", "my $x = double(2);\nis(\"$x\", '4', 'a');\n", True),
    ("t/a.t", "is(\"@{[double(2)]}\", '4', 'a');\n", True),
    ("t/a.t", "is('Double'->of(2), 4, 'a');\n", True),
    ("t/a.t", "subtest 'a' => sub {\n    my $class = 'Double';\n    is($class->of(2), 4);\n};\n", True),
    ("t/a.t", "subtest 'a' => sub {\n    my $name = 'double';\n    is(&$name(2), 4);\n};\n", True),
    ("t/a.t", "subtest 'a' => sub\n{\n    my $n = 2;\n    is(double($n), 4);\n};\n", True),
    ("t/a.t", "sub check\n{\n    my $n = 2;\n    return double($n);\n}\nis(check(), 4, 'a');\n", True),
    ("t/a.t", "can_ok('Double', 'of', 'a');\n", True),
    ("t/a.t", "is(`bin/double 2`, 4, 'a');\n", True),
    ("t/a.t", "is(do './double.pl', 4, 'a');\n", True),
    ("t/a.t", "ok(-e 'bin/double', 'a');\n", True),
    ("t/a.t", "like($main::said, qr/4/, 'a');\n", True),
    ("a_test.cpp", "TEST(A, a) {\n  int x = 4;\n  EXPECT_EQ(x, 4);\n}\n", False),
    ("a_test.cpp", "TEST(A, a) {\n  EXPECT_EQ(twice(2), 4);\n}\n", True),
]  # fmt: skip


@pytest.mark.parametrize(("path", "source", "relies"), TEXTS)
def test_what_a_test_of_another_language_leans_on(path, source, relies):
    (test,) = (one.id for one in defined_tests(source, path))
    assert (test in idle(source, path)) is not relies


@pytest.mark.parametrize(
    ("source", "hollow"),
    [
        ("ok(1, 'a');\n", True),
        ("ok(1, 'what is ok is ok');\n", True),
        ("is(1, 1, 'a');\n", True),
        ("is 4, 4, 'a';\n", True),
        ("subtest 'a' => sub {\n    ok(1, 'is it ok');\n    is(2, 2);\n};\n", True),
        ("is(double(2), 4, 'pass');\n", False),
        ("is(1, 10, 'a');\n", False),
        ("is($x, 4, 'a');\n", False),
        ("subtest 'a' => sub {\n    ok(1);\n    is(double(2), 4);\n};\n", False),
    ],
)
def test_a_perl_test_that_is_always_true_is_hollow(source, hollow):
    (test,) = defined_tests(source, "t/a.t")
    assert bool(test.hollow) is hollow
