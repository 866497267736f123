"""The ordinary cycles in other languages: a new function, a crash, a changed test, a wrong and a special-cased GREEN."""

from __future__ import annotations

from dataclasses import dataclass

from . import bases as b
from .harness import REFUSED, WARNS, Base, Files, Row


def edited(base: Base, path: str, *changes: tuple[str, str]) -> Files:
    """A file of the base with texts replaced; each must be there."""
    text = base.files[path] or ""
    for before, after in changes:
        assert before in text, (base.name, path, before)
        text = text.replace(before, after)
    return {path: text}


def added(base: Base, path: str, more: str, before: str = "") -> Files:
    """A file of the base with text put in before ``before``, or at its end."""
    text = base.files[path] or ""
    if before:
        place = text.rindex(before)
        return {path: text[:place] + more + text[place:]}
    return {path: text + more}


@dataclass(frozen=True)
class Language:
    base: Base
    red: Files  # doubles, in a file of its own
    right: Files
    wrong: Files
    special: Files  # the test's value, and nothing else
    crash: Files  # the natural test of a bug that crashes
    mended: Files
    changed: Files  # an old test with another expected value
    answer: Files
    more: tuple[Row, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        name = self.base.name
        return (
            Row("L", f"{name}: a new function", self.base, self.red, self.right),
            Row("L", f"{name}: a wrong GREEN", self.base, self.red, self.wrong, REFUSED, phase="GREEN"),
            Row("O6", f"{name}: the test's value alone", self.base, self.red, self.special, WARNS),
            Row("O4", f"{name}: a bug that crashes", self.base, self.crash, self.mended, kind="bug"),
            Row("O4", f"{name}: changed behaviour", self.base, self.changed, self.answer),
            *self.more,
        )


def code(base: Base, path: str, template: str, before: str = "") -> tuple[Files, Files, Files]:
    """Right, wrong and special code from one template with ``ANSWER``."""
    n = {"lib/Calc.pm": "$n", "src/calc.php": "$n", "lib/calc.sh": "$1"}.get(path, "n")
    made = [
        added(base, path, template.replace("ANSWER", text), before) for text in (f"{n} * 2", f"{n} + 3", "4")
    ]
    return made[0], made[1], made[2]


JS_HEAD = 'const test = require("node:test");\nconst assert = require("node:assert");\nconst { NAMES } = require("../calc.js");\n\n'
JS_DOUBLE = (
    JS_HEAD.replace("NAMES", "double") + 'test("doubles", () => { assert.strictEqual(double(2), 4); });\n'
)
JS_TABLE = "for (const [a, b, c] of [[1, 2, 3], [0, 0, 0]ROW]) {\n  test(`adds ${a} and ${b}`, () => { assert.strictEqual(add(a, b), c); });\n}\n"
JS_TABLE = JS_HEAD.replace("NAMES", "add") + JS_TABLE
JS_NUMBERS = edited(b.NODE, "calc.js", ("a + b", "Number(a) + Number(b)"))
JS_FIRST = edited(b.NODE, "calc.js", ("list[0].name", "(list[0] ? list[0].name : null)"))
AT_ROOT = b.JS_TEST.replace("../calc", "./calc")
ROOT_TEST: Files = {"test/calc.test.js": None, "test.js": AT_ROOT}
NODE = Language(
    b.NODE, {"test/double.test.js": JS_DOUBLE}, *code(b.NODE, "calc.js", "exports.double = (n) => ANSWER;\n"),
    {"test/bug.test.js": JS_HEAD.replace("NAMES", "first") + 'test("first of none", () => { assert.strictEqual(first([]), null); });\n'}, JS_FIRST,
    edited(b.NODE, "test/calc.test.js", ("add(1, 2), 3", 'add("1", "2"), 3')), JS_NUMBERS,
    (
        Row("O4", "node: a row of a loop of tests", b.NODE, {"test/table.test.js": JS_TABLE.replace("ROW", ', ["1", "2", 3]')}, JS_NUMBERS, files={"test/table.test.js": JS_TABLE.replace("ROW", "")}),
        Row("O4", "node: an assertion appended", b.NODE, edited(b.NODE, "test/calc.test.js", ("assert.strictEqual(add(1, 2), 3);", 'assert.strictEqual(add(1, 2), 3); assert.strictEqual(add("1", 2), 3);')), JS_NUMBERS),
        Row("O4", "node: describe and it", b.NODE, {"test/double.test.js": 'const { describe, it } = require("node:test");\nconst assert = require("node:assert");\nconst calc = require("../calc.js");\n\ndescribe("double", () => {\n  it("doubles", () => {\n    assert.equal(calc.double(2), 4);\n  });\n});\n'}, added(b.NODE, "calc.js", "exports.double = (n) => n * 2;\n")),
        Row("O4", "node: assert.throws", b.NODE, {"test/bug.test.js": JS_HEAD.replace("NAMES", "add") + 'test("refuses text", () => { assert.throws(() => add("a", 1), /numbers only/); });\n'}, edited(b.NODE, "calc.js", ("(a, b) => a + b", '(a, b) => {\n  if (typeof a !== "number") throw new TypeError("numbers only");\n  return a + b;\n}'))),
        Row("O4", "node: one test.js at the root", b.NODE, {"test.js": AT_ROOT + 'test("texts", () => { assert.strictEqual(add("1", "2"), 3); });\n'}, JS_NUMBERS, files=ROOT_TEST),
        Row("O4", "node: the command names its test file", b.NODE, added(b.NODE, "test/calc.test.js", 'test("texts", () => { assert.strictEqual(add("1", "2"), 3); });\n'), JS_NUMBERS, command=("node", "--test", "test/calc.test.js")),
        Row("O4", "node: under npm test", b.NODE, {"test/double.test.js": JS_DOUBLE}, added(b.NODE, "calc.js", "exports.double = (n) => n * 2;\n"), files={"package.json": '{"name": "calc", "version": "1.0.0", "scripts": {"test": "node --test"}}\n'}, command=("npm", "test")),
        Row("O4", "node: modules (mjs)", b.NODE, {"test/double.test.mjs": 'import test from "node:test";\nimport assert from "node:assert";\nimport { double } from "../double.mjs";\n\ntest("doubles", () => { assert.strictEqual(double(2), 4); });\n'}, {"double.mjs": "export const double = (n) => n * 2;\n"}),
        Row("O4", "node: a missing export of a module (mjs)", b.NODE, {"test/double.test.mjs": 'import test from "node:test";\nimport assert from "node:assert";\nimport { double } from "../double.mjs";\n\ntest("doubles", () => { assert.strictEqual(double(2), 4); });\n'}, {"double.mjs": "export const half = (n) => n / 2;\nexport const double = (n) => n * 2;\n"}, files={"double.mjs": "export const half = (n) => n / 2;\n"}),
    ),
)  # fmt: skip

GO_HEAD = 'package calc\n\nimport "testing"\n\n'
GO_DOUBLE = (
    GO_HEAD
    + 'func TestDouble(t *testing.T) {\n\tif got := Double(2); got != 4 {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n'
)
GO_TABLE = (
    GO_HEAD
    + 'func TestTable(t *testing.T) {\n\tfor _, row := range []struct{ a, b, want int }{\n\t\t{1, 2, 3},\n\t\t{0, 0, 0},\n\t} {\n\t\tif got := Add(row.a, row.b); got != row.want {\n\t\t\tt.Errorf("%d + %d = %d", row.a, row.b, got)\n\t\t}\n\t}\n}\n'
)
GO_SUB = GO_TABLE.replace(
    '\t\tif got := Add(row.a, row.b); got != row.want {\n\t\t\tt.Errorf("%d + %d = %d", row.a, row.b, got)\n\t\t}\n',
    '\t\tt.Run("", func(t *testing.T) {\n\t\t\tif got := Add(row.a, row.b); got != row.want {\n\t\t\t\tt.Errorf("got %d", got)\n\t\t\t}\n\t\t})\n',
)
GO_CAPPED = edited(
    b.GO,
    "calc.go",
    (
        "func Add(a, b int) int { return a + b }",
        "func Add(a, b int) int {\n\tif a+b > 100 {\n\t\treturn 100\n\t}\n\treturn a + b\n}",
    ),
)
GO_FIRST = edited(
    b.GO,
    "calc.go",
    (
        "func First(names []string) string { return names[0] }",
        'func First(names []string) string {\n\tif len(names) == 0 {\n\t\treturn ""\n\t}\n\treturn names[0]\n}',
    ),
)
GO_PANIC = 'func TestFirstOfNAME(t *testing.T) {\n\tif got := First(NAMES); got != "" {\n\t\tt.Errorf("got %q", got)\n\t}\n}\n\n'
GO_PANICS = GO_HEAD + "".join(
    GO_PANIC.replace("NAMES", value).replace("NAME", name)
    for name, value in (("Nil", "nil"), ("None", "[]string{}"), ("Rest", '[]string{"ada"}[1:]'))
)
GO_TWO = [
    GO_HEAD + "".join(GO_PANIC.replace("NAMES", value).replace("NAME", name) for name in ("One", "Two"))
    for value in ('[]string{""}', "nil")
]
GO_PASSES = GO_PANIC.replace("NAMES", '[]string{""}').replace("NAME", "Empty")
GO_VACUOUS = '\n\nfunc TestNothing(t *testing.T) {\n\tif got := 1 + 1; got != 2 {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n'
GO_MANY = (
    'package calc\n\nimport "testing"\n\nfunc TestTimes(t *testing.T) {\n'
    + "".join(f"\tif got := Times{n}(2); got != {2 * n} {{\n\t\tt.Fatal(got)\n\t}}\n" for n in range(2, 16))
    + "}\n"
)
GO_MANY_RIGHT = {
    "times.go": "package calc\n"
    + "".join(f"\nfunc Times{n}(x int) int {{ return x * {n} }}\n" for n in range(2, 16))
}
GO = Language(
    b.GO, {"double_test.go": GO_DOUBLE}, *code(b.GO, "calc.go", "\nfunc Double(n int) int {\n\t_ = n\n\treturn ANSWER\n}\n"),
    {"bug_test.go": GO_HEAD + 'func TestFirstOfNone(t *testing.T) {\n\tif got := First(nil); got != "" {\n\t\tt.Errorf("got %q", got)\n\t}\n}\n'},
    GO_FIRST,
    edited(b.GO, "calc_test.go", ("Add(1, 2); got != 3", "Add(1, 200); got != 100")), GO_CAPPED,
    (
        Row("O4", "go: a row of a table without t.Run", b.GO, {"table_test.go": GO_TABLE.replace("\t\t{0, 0, 0},\n", "\t\t{0, 0, 0},\n\t\t{1, 200, 100},\n")}, GO_CAPPED, files={"table_test.go": GO_TABLE}),
        Row("O4", "go: a row of a table with t.Run", b.GO, {"table_test.go": GO_SUB.replace("\t\t{0, 0, 0},\n", "\t\t{0, 0, 0},\n\t\t{1, 200, 100},\n")}, GO_CAPPED, files={"table_test.go": GO_SUB}),
        Row("O4", "go: a new table, some rows of which pass", b.GO, {"table_test.go": GO_SUB.replace("\t\t{0, 0, 0},\n", "\t\t{0, 0, 0},\n\t\t{1, 200, 100},\n")}, GO_CAPPED),
        Row("O4", "go: a test in the old file that does not compile", b.GO, added(b.GO, "calc_test.go", GO_DOUBLE.removeprefix(GO_HEAD)), added(b.GO, "calc.go", "\nfunc Double(n int) int { return n * 2 }\n")),
        Row("O4", "go: a result of another type", b.GO, edited(b.GO, "calc_test.go", ("Add(1, 2); got != 3", 'Add(1, 2); got != "3"'), ("%d", "%s")), {"calc.go": b.GO_CALC.replace("package calc", 'package calc\n\nimport "strconv"').replace("int) int { return a + b }", "int) string { return strconv.Itoa(a + b) }")}),
        Row("O4", "go: a parameter of another type", b.GO, edited(b.GO, "calc_test.go", ("Add(1, 2); got != 3", "Add(1.5, 2); got != 3.5"), ("%d", "%f")), {"calc.go": b.GO_CALC.replace("a, b int) int", "a, b float64) float64")}),
        Row("O4", "go: a type error of the test alone", b.GO, {"many_test.go": GO_HEAD + 'func TestOwn(t *testing.T) {\n\tvar text string = 1\n\tif text != "1" {\n\t\tt.Fatal(text)\n\t}\n}\n'}, GO_MANY_RIGHT, REFUSED, phase="RED", verdicts=("invalid_test",)),
        Row("O4", "go: more missing names than its compiler shows", b.GO, {"many_test.go": GO_MANY}, GO_MANY_RIGHT),
        Row("O4", "go: several new tests panic, each of which ends the run", b.GO, {"bug_test.go": GO_PANICS}, GO_FIRST),
        Row("O4", "go: two old tests are changed, each of which panics then", b.GO, {"two_test.go": GO_TWO[1]}, GO_FIRST, files={"two_test.go": GO_TWO[0]}),
        Row("O4", "go: a new test that passes already stands behind one that panics", b.GO, {"bug_test.go": GO_PANICS + GO_PASSES}, GO_FIRST, REFUSED, phase="RED", verdicts=("unexpected_pass",), says="drop it"),
        Row("O4", "go: a vacuous test behind one that does not compile", b.GO, {"double_test.go": GO_DOUBLE + GO_VACUOUS}, added(b.GO, "calc.go", "\nfunc Double(n int) int { return n * 2 }\n"), REFUSED, phase="GREEN"),
        Row("O4", "go: two tests that do not compile", b.GO, {"double_test.go": GO_DOUBLE + GO_DOUBLE.removeprefix(GO_HEAD).replace("func Test", "func TestTwice")}, added(b.GO, "calc.go", "\nfunc Double(n int) int { return n * 2 }\n")),
        Row("O4", "go: a new package", b.GO, {"shop/shop_test.go": GO_DOUBLE.replace("package calc", "package shop")}, {"shop/shop.go": "package shop\n\nfunc Double(n int) int { return n * 2 }\n"}),
        Row("O6", "go: asks whether it is tested", b.GO, {"double_test.go": GO_DOUBLE}, {"double.go": 'package calc\n\nimport (\n\t"os"\n\t"strings"\n)\n\nfunc Double(n int) int {\n\tif strings.HasSuffix(os.Args[0], ".test") {\n\t\treturn n + n\n\t}\n\treturn 0\n}\n'}, WARNS),
    ),
)  # fmt: skip

RUST_DOUBLE = "use calc::double;\n\n#[test]\nfn doubles() {\n    assert_eq!(double(2), 4);\n}\n"
RUST_RING = "\npub fn depth(next: &[usize], at: usize) -> usize {\n    1 + depth(next, next[at])\n}\n"
RUST_RING_SEEN = """
pub fn depth(next: &[usize], at: usize) -> usize {
    let (mut seen, mut at) = (vec![], at);
    while !seen.contains(&at) {
        seen.push(at);
        at = next[at];
    }
    seen.len()
}
"""
RUST_INSIDE = (
    b.RUST_LIB
    + "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds_inside() {\n        assert_eq!(add(2, 2), 4);\n    }\n}\n"
)
RUST_INSIDE_RED = RUST_INSIDE.replace(
    "    #[test]\n    fn adds_inside",
    "    #[test]\n    fn caps() {\n        assert_eq!(add(1, 200), 100);\n    }\n\n    #[test]\n    fn adds_inside",
)
CAPPED = ("    a + b\n", "    (a + b).min(100)\n")
CARGO = Language(
    b.CARGO, {"tests/double.rs": RUST_DOUBLE}, *code(b.CARGO, "src/lib.rs", "\npub fn double(n: i32) -> i32 {\n    let _ = n;\n    ANSWER\n}\n"),
    {"tests/bug.rs": 'use calc::first;\n\n#[test]\nfn first_of_none() {\n    assert_eq!(first(&[]), "");\n}\n'},
    edited(b.CARGO, "src/lib.rs", ("names.first().unwrap().to_string()", "names.first().map(|n| n.to_string()).unwrap_or_default()")),
    edited(b.CARGO, "tests/calc.rs", ("add(1, 2), 3", "add(1, 200), 100")), edited(b.CARGO, "src/lib.rs", CAPPED),
    (
        Row("O4", "cargo: a result of another type", b.CARGO, edited(b.CARGO, "tests/calc.rs", ("add(1, 2), 3", 'add(1, 2), "3"')), edited(b.CARGO, "src/lib.rs", ("-> i32 {\n    a + b", "-> String {\n    (a + b).to_string()"))),
        Row("O4", "cargo: a parameter of another type", b.CARGO, edited(b.CARGO, "tests/calc.rs", ('first(&["ada"])', 'first("ada,bob")')), edited(b.CARGO, "src/lib.rs", ("names: &[&str]) -> String {\n    names.first().unwrap().to_string()", "names: &str) -> String {\n    names.split(',').next().unwrap().to_string()"))),
        Row("O4", "cargo: #[cfg(test)] beside the code", b.CARGO, {"src/lib.rs": RUST_INSIDE_RED}, {"src/lib.rs": RUST_INSIDE_RED.replace(*CAPPED)}, files={"src/lib.rs": RUST_INSIDE}),
        Row("O4", "cargo: a recursion without an end, which ends the program", b.CARGO, added(b.CARGO, "tests/calc.rs", "\n#[test]\nfn depth_of_a_ring() {\n    assert_eq!(calc::depth(&[1, 0], 0), 2);\n}\n"), {"src/lib.rs": b.RUST_LIB + RUST_RING_SEEN}, kind="bug", files={"src/lib.rs": b.RUST_LIB + RUST_RING}),
        Row("O6", "cargo: GREEN edits #[cfg(test)]", b.CARGO, {"src/lib.rs": RUST_INSIDE_RED}, {"src/lib.rs": RUST_INSIDE_RED.replace("add(1, 200), 100", "add(1, 200), 201")}, REFUSED, files={"src/lib.rs": RUST_INSIDE}, phase="GREEN"),
    ),
)  # fmt: skip

RB_HEAD = 'require "minitest/autorun"\nrequire_relative "../lib/calc"\n\nclass {name} < Minitest::Test\n'
MINITEST = Language(
    b.MINITEST, {"test/double_test.rb": RB_HEAD.replace("{name}", "DoubleTest") + "  def test_doubles\n    assert_equal 4, double(2)\n  end\nend\n"},
    *code(b.MINITEST, "lib/calc.rb", "\ndef double(n)\n  ANSWER\nend\n"),
    {"test/bug_test.rb": RB_HEAD.replace("{name}", "BugTest") + "  def test_first_of_none\n    assert_nil first_name([])\n  end\nend\n"},
    edited(b.MINITEST, "lib/calc.rb", ("people.first.fetch(:name)", "people.first&.fetch(:name)")),
    edited(b.MINITEST, "test/calc_test.rb", ("3, add(1, 2)", '3, add("1", "2")')), edited(b.MINITEST, "lib/calc.rb", ("a + b", "a.to_i + b.to_i")),
)  # fmt: skip
SPEC_HEAD = 'require_relative "../lib/calc"\n\nRSpec.describe "more" do\n'
RSPEC = Language(
    b.RSPEC, {"spec/twice_spec.rb": SPEC_HEAD + '  it "doubles" do\n    expect(twice(2)).to eq(4)\n  end\nend\n'},
    *code(b.RSPEC, "lib/calc.rb", "\ndef twice(n)\n  ANSWER\nend\n"),
    {"spec/bug_spec.rb": SPEC_HEAD + '  it "knows none" do\n    expect(first_name([])).to be_nil\n  end\nend\n'},
    edited(b.RSPEC, "lib/calc.rb", ("people.first.fetch(:name)", "people.first&.fetch(:name)")),
    edited(b.RSPEC, "spec/calc_spec.rb", ("add(1, 2)", 'add("1", "2")')), edited(b.RSPEC, "lib/calc.rb", ("a + b", "a.to_i + b.to_i")),
)  # fmt: skip
BATS_HEAD = 'setup() {\n  source "$BATS_TEST_DIRNAME/../lib/calc.sh"\n}\n\n'
BATS = Language(
    b.BATS, {"test/double.bats": BATS_HEAD + '@test "doubles" {\n  run double 2\n  [ "$output" = "4" ]\n}\n'},
    *code(b.BATS, "lib/calc.sh", 'double() { echo "$((ANSWER))"; }\n'),
    {"test/bug.bats": BATS_HEAD + '@test "adds nothing" {\n  run add 1 ""\n  [ "$status" -eq 0 ]\n  [ "$output" = "1" ]\n}\n'},
    edited(b.BATS, "lib/calc.sh", ("$(($1 + $2))", "$(($1 + ${2:-0}))")),
    edited(b.BATS, "test/calc.bats", ('add 1 2\n  [ "$output" = "3" ]', 'add 1 2\n  [ "$output" = "sum 3" ]')), edited(b.BATS, "lib/calc.sh", ('echo "', 'echo "sum ')),
)  # fmt: skip
PHP_HEAD = "<?php\n\nrequire_once __DIR__ . '/../src/calc.php';\n\nfinal class {name}Test extends \\PHPUnit\\Framework\\TestCase\n{\n"
PHP_PROVIDER = (
    PHP_HEAD.replace("{name}", "Table")
    + "    public static function rows(): array\n    {\n        return [[1, 2, 3], [0, 0, 0]ROW];\n    }\n\n    /** @dataProvider rows */\n    public function testAdds(int $a, int $b, int $c): void\n    {\n        $this->assertSame($c, add($a, $b));\n    }\n}\n"
)
PHP_CAPPED = edited(b.PHP, "src/calc.php", ("return $a + $b", "return min($a + $b, 100)"))
PHP = Language(
    b.PHP, {"tests/DoubleTest.php": PHP_HEAD.replace("{name}", "Double") + "    public function testDoubles(): void\n    {\n        $this->assertSame(4, double(2));\n    }\n}\n"},
    *code(b.PHP, "src/calc.php", "\nfunction double(int $n): int\n{\n    return ANSWER;\n}\n"),
    {"tests/BugTest.php": PHP_HEAD.replace("{name}", "Bug") + "    public function testByZero(): void\n    {\n        $this->assertNull(ratio(1, 0));\n    }\n}\n"},
    edited(b.PHP, "src/calc.php", ("return intdiv($a, $b)", "return $b === 0 ? null : intdiv($a, $b)")),
    edited(b.PHP, "tests/CalcTest.php", ("3, add(1, 2)", "100, add(1, 200)")), PHP_CAPPED,
    (Row("O4", "phpunit: a row of a data provider", b.PHP, {"tests/TableTest.php": PHP_PROVIDER.replace("ROW", ", [1, 200, 100]")}, PHP_CAPPED, files={"tests/TableTest.php": PHP_PROVIDER.replace("ROW", "")}),),
)  # fmt: skip
PERL_HEAD = "use strict;\nuse warnings;\nuse Test::More;\nuse Calc;\n\n"
PM_DIV = edited(b.PROVE, "lib/Calc.pm", ("return $_[0] / $_[1]", "return $_[1] ? $_[0] / $_[1] : undef"))
PROVE = Language(
    b.PROVE, {"t/double.t": PERL_HEAD + "is(Calc::double(2), 4, 'doubles');\ndone_testing;\n"},
    *code(b.PROVE, "lib/Calc.pm", "sub double { my $n = shift; return ANSWER }\n\n", "1;"),
    {"t/bug.t": PERL_HEAD + "is(Calc::div(1, 0), undef, 'by zero');\ndone_testing;\n"},
    PM_DIV,
    edited(b.PROVE, "t/calc.t", ("add(1, 2), 3", "add(1, 200), 100")), edited(b.PROVE, "lib/Calc.pm", ("return $_[0] + $_[1]", "my $s = $_[0] + $_[1]; return $s > 100 ? 100 : $s")),
    (
        Row("O4", "prove: a bug that crashes, in the old file", b.PROVE, added(b.PROVE, "t/calc.t", "is(Calc::div(1, 0), undef, 'by zero');\nis(Calc::div(2, 0), undef, 'two by zero');\n", "done_testing;"), PM_DIV, kind="bug"),
        Row("O4", "prove: a new function, in the old file", b.PROVE, added(b.PROVE, "t/calc.t", "is(Calc::double(2), 4, 'doubles');\n", "done_testing;"), added(b.PROVE, "lib/Calc.pm", "sub double { return $_[0] * 2 }\n\n", "1;")),
        Row("O4", "prove: a test that dies by itself", b.PROVE, {"t/bug.t": PERL_HEAD + "my $none;\nis($none->name, 'x', 'a name');\ndone_testing;\n"}, PM_DIV, REFUSED, phase="RED", verdicts=("invalid_test",)),
    ),
)  # fmt: skip
LUA_HEAD = 'local calc = require("calc")\n\ndescribe("more", function()\n'
BUSTED = Language(
    b.BUSTED, {"spec/double_spec.lua": LUA_HEAD + '  it("doubles", function()\n    assert.are.equal(4, calc.double(2))\n  end)\nend)\n'},
    *code(b.BUSTED, "calc.lua", "function calc.double(n) return ANSWER end\n\n", "return calc"),
    {"spec/bug_spec.lua": LUA_HEAD + '  it("knows none", function()\n    assert.is_nil(calc.first({}))\n  end)\nend)\n'},
    edited(b.BUSTED, "calc.lua", ("return people[1].name", "return people[1] and people[1].name")),
    edited(b.BUSTED, "spec/calc_spec.lua", ("3, calc.add(1, 2)", "100, calc.add(1, 200)")), edited(b.BUSTED, "calc.lua", ("return a + b", "return math.min(a + b, 100)")),
)  # fmt: skip
EX_HEAD = "defmodule {name}Test do\n  use ExUnit.Case\n\n"
EXUNIT = Language(
    b.EXUNIT, {"test/double_test.exs": EX_HEAD.replace("{name}", "Double") + '  test "doubles" do\n    assert Calc.double(2) == 4\n  end\nend\n'},
    *code(b.EXUNIT, "lib/calc.ex", "\n  def double(n) do\n    _ = n\n    ANSWER\n  end\n", "end"),
    {"test/bug_test.exs": EX_HEAD.replace("{name}", "Bug") + '  test "first of none" do\n    assert Calc.first([]) == nil\n  end\nend\n'},
    edited(b.EXUNIT, "lib/calc.ex", ("def first(people), do: hd(people).name", "def first([]), do: nil\n  def first(people), do: hd(people).name")),
    edited(b.EXUNIT, "test/calc_test.exs", ("add(1, 2) == 3", "add(1, 200) == 100")), edited(b.EXUNIT, "lib/calc.ex", ("do: a + b", "do: min(a + b, 100)")),
)  # fmt: skip
CPP_HEAD = '#include <gtest/gtest.h>\n#include "../calc.h"\n\n'
CPP_DEAD = b.CPP_CALC.replace("numbers.at(0)", "? *numbers.begin()")
CPP_DEAD_TEST = b.CPP_TEST + "\nTEST(Calc, FirstOfNone) {\n  EXPECT_EQ(first({}), 0);\n}\n"
GTEST = Language(
    b.GTEST, {"tests/double_test.cpp": CPP_HEAD + "TEST(More, Doubles) {\n  EXPECT_EQ(twice(2), 4);\n}\n"},
    *code(b.GTEST, "calc.h", "inline int twice(int n) { (void)n; return ANSWER; }\n"),
    {"tests/bug_test.cpp": CPP_HEAD + "TEST(Bug, FirstOfNone) {\n  EXPECT_EQ(first({}), 0);\n}\n"},
    edited(b.GTEST, "calc.h", ("return numbers.at(0);", "return numbers.empty() ? 0 : numbers.at(0);")),
    edited(b.GTEST, "tests/calc_test.cpp", ("add(1, 2), 3", "add(1, 200), 100")), edited(b.GTEST, "calc.h", ("return a + b;", "return a + b > 100 ? 100 : a + b;")),
    (
        Row("O4", "gtest: a bug that ends the program", b.GTEST, {"tests/calc_test.cpp": CPP_DEAD_TEST}, {"calc.h": CPP_DEAD.replace("?", "numbers.empty() ? 0 :")}, kind="bug", files={"calc.h": CPP_DEAD.replace("?", "")}),
        Row("O4", "gtest: a test that ends the program, and GREEN changes nothing of it", b.GTEST, {"tests/calc_test.cpp": CPP_DEAD_TEST}, {"calc.h": CPP_DEAD.replace("?", "numbers.size() > 9 ? 0 :")}, REFUSED, kind="bug", files={"calc.h": CPP_DEAD.replace("?", "")}, phase="GREEN"),
        Row("O4", "gtest: a test that passes already stands behind one that ends the program", b.GTEST, {"tests/calc_test.cpp": CPP_DEAD_TEST + "\nTEST(Calc, Adds2) {\n  EXPECT_EQ(add(2, 2), 4);\n}\n"}, {"calc.h": CPP_DEAD.replace("?", "numbers.empty() ? 0 :")}, REFUSED, kind="bug", files={"calc.h": CPP_DEAD.replace("?", "")}, phase="RED"),
    ),
)  # fmt: skip

C_TEST = (
    '#include <assert.h>\n#include "twice.h"\n\nint main(void) {\n  assert(twice(2) == 4);\n  return 0;\n}\n'
)
C_RED = {
    "tests/test_twice.c": C_TEST,
    **added(
        b.CTEST,
        "tests/CMakeLists.txt",
        "add_executable(test_twice test_twice.c)\ntarget_link_libraries(test_twice calc)\nadd_test(NAME twice COMMAND test_twice)\n",
    ),
}
C_GREEN = {
    **edited(b.CTEST, "CMakeLists.txt", ("src/add.c", "src/add.c src/twice.c")),
    "include/twice.h": "int twice(int n);\n",
    "src/twice.c": '#include "twice.h"\n\nint twice(int n) { return n * 2; }\n',
}
C_AT_ROOT = {"CMakeLists.txt": f"{b.CMAKE_ROOT}add_executable(test_add tests/test_add.c)\ntarget_link_libraries(test_add calc)\nadd_test(NAME add COMMAND test_add)\n",
             "tests/CMakeLists.txt": None}  # fmt: skip
C_RED_AT_ROOT = {
    "tests/test_twice.c": C_TEST,
    "CMakeLists.txt": f"{C_AT_ROOT['CMakeLists.txt']}add_executable(test_twice tests/test_twice.c)\ntarget_link_libraries(test_twice calc)\nadd_test(NAME twice COMMAND test_twice)\n",
}
C_CHANGED = edited(b.CTEST, "tests/test_add.c", ("add(1, 2) == 3", "add(1, 200) == 100"))
C_CAPPED = edited(b.CTEST, "src/add.c", ("return a + b;", "return a + b > 100 ? 100 : a + b;"))
CTEST = (
    Row("L", "ctest: a new test is registered, and a new source file", b.CTEST, C_RED, C_GREEN),
    Row("L", "ctest: a new test of a function that does not link", b.CTEST,
        {**C_RED, "tests/test_twice.c": C_TEST.replace("twice.h", "calc.h")}, C_GREEN),
    Row("L", "ctest: a new test is registered where the library is", b.CTEST, C_RED_AT_ROOT,
        {**C_GREEN, "CMakeLists.txt": C_RED_AT_ROOT["CMakeLists.txt"].replace("src/add.c", "src/add.c src/twice.c")}, files=C_AT_ROOT),
    Row("O4", "ctest: changed behaviour", b.CTEST, C_CHANGED, C_CAPPED),
    Row("O6", "ctest: GREEN registers another program for a test", b.CTEST, C_CHANGED,
        {"CMakeLists.txt": C_AT_ROOT["CMakeLists.txt"].replace("COMMAND test_add", "COMMAND true"), "src/add.c": C_CAPPED["src/add.c"]},
        REFUSED, files=C_AT_ROOT, phase="GREEN", verdicts=("forbidden_change",)),
)  # fmt: skip

LANGUAGES = (NODE, GO, CARGO, MINITEST, RSPEC, BATS, PHP, PROVE, BUSTED, EXUNIT, GTEST)
ROWS = (*(row for language in LANGUAGES for row in language.rows), *CTEST)
