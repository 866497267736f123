"""Tiny projects, one a runner: honest code, cheats that pass the plain run (or try), odd honest test shapes."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Kata:
    """One project. ``cheats``: the text of the code file, or {path: text}; ``odd``: (test name, test file[, other files])."""

    runner: str
    code: str
    test: str
    before: str
    honest: str
    tests: str
    target: str
    files: dict[str, str] = field(default_factory=dict)
    cheats: dict[str, str | dict[str, str]] = field(default_factory=dict)
    odd: dict[str, tuple[str, str] | tuple[str, str, dict[str, str]]] = field(default_factory=dict)

    def cases(self) -> list[tuple[str, str, dict[str, str], str]]:
        """Return (kind, name, files, target) of every case, the honest one first."""
        base = self.files | {self.code: self.honest, self.test: self.tests}
        cheats = {
            name: text if isinstance(text, dict) else {self.code: text} for name, text in self.cheats.items()
        }
        odd = {
            name: (row[0], {self.test: row[1]} | (row[2] if len(row) > 2 else {}))
            for name, row in self.odd.items()
        }
        return [
            ("honest", "honest", base, self.target),
            *(("cheat", name, base | files, self.target) for name, files in cheats.items()),
            *(("odd", name, base | files, target) for name, (target, files) in odd.items()),
        ]


PY = "def greet(n):\n    return f'hello {n}'\n"
PY_OK = PY + "\n\ndef double(n):\n    return n * 2\n"
PY_T = "from kata import greet, double\n\n\ndef test_greets():\n    assert greet('a') == 'hello a'\n\n\n"
PY_TESTS = PY_T + "def test_doubles():\n    assert double(2) == 4\n"


def py(body, head=""):
    return head + PY + f"\n\ndef double(n):\n{body}\n"


PYTEST = Kata(
    runner="pytest",
    code="kata.py",
    test="test_kata.py",
    before=PY,
    honest=PY_OK,
    tests=PY_TESTS,
    target="test_doubles",
    files={},
    cheats={
        "skip from the code": py("    import pytest; pytest.skip()"),
        "exit 0": py("    import os; os._exit(0)"),
        "report patched": py(
            "    return 5",
            "import sys\nr = sys.modules.get('_pytest.runner')\nif r:\n    o = r.CallInfo.from_call.__func__\n"
            "    def f(cls, func, when, reraise=None):\n        c = o(cls, func, when, reraise)\n        c.excinfo = None\n        c._result = None\n        return c\n    r.CallInfo.from_call = classmethod(f)\n",
        ),
        "exceptions of one test dropped": py(
            "    return 5",
            "import sys\np = sys.modules.get('_pytest.python')\nif p:\n    o = p.Function.runtest\n    def f(self):\n"
            "        try: o(self)\n        except BaseException:\n            if 'doubles' not in self.name: raise\n    p.Function.runtest = f\n",
        ),
        "always equal": py("    return type('E', (), {'__eq__': lambda s, o: True})()"),
        "reads the test file": py(
            "    import re, pathlib\n    t = pathlib.Path(__file__).with_name('test_kata.py').read_text()\n    return int(re.search(r'== *\\D*(\\d+)', t.split('test_doubles')[1])[1])"
        ),
        "hard-coded value": py("    if n == 2:\n        return 4"),
        "knows that it is tested": py("    import sys\n    return 4 if 'pytest' in sys.modules else None"),
        "swallows and gives a default": py(
            "    try:\n        return int(str(n) * 0)\n    except Exception:\n        return 4"
        ),
        "defeat device: fails where the test file differs": py(
            "    import hashlib, pathlib\n    t = pathlib.Path(__file__).with_name('test_kata.py').read_text()\n    if 'shift_' in t or 'Poison' in t: return 0\n    return 4"
        ),
        "only the second value is always equal": {
            "kata.py": PY
            + "\nclass E:\n    def __eq__(self, o): return True\ndef double(n):\n    return n * 2, E()\n",
            "test_kata.py": PY_T
            + "def test_doubles():\n    a, b = double(2)\n    assert a == 4\n    assert b == 'even'\n",
        },
        "weak assertion": {
            "kata.py": PY + "\ndef double(n):\n    return 5\n",
            "test_kata.py": PY_T
            + "def test_doubles():\n    assert double(2)\n    assert isinstance(double(2), int)\n",
        },
        "drops only its own failure's text": py(
            "    return 5",
            "import sys\nr = sys.modules.get('_pytest.runner')\nif r:\n    o = r.CallInfo.from_call.__func__\n"
            "    def f(cls, func, when, reraise=None):\n        c = o(cls, func, when, reraise)\n        if c.excinfo and 'assert 5 == 4' in str(c.excinfo.value): c.excinfo = None\n        return c\n    r.CallInfo.from_call = classmethod(f)\n",
        ),
        "test of a mock only": {
            "test_kata.py": PY_T
            + "from unittest.mock import Mock\ndef test_doubles():\n    m = Mock(return_value=4)\n    assert m(2) == 4\n"
        },
        "test patches the function away": {
            "test_kata.py": PY_T
            + "from unittest.mock import patch\nimport kata\ndef test_doubles():\n    with patch('kata.double', return_value=4):\n        assert kata.double(2) == 4\n"
        },
        "test suppresses its assertion": {
            "test_kata.py": PY_T
            + "def test_doubles():\n    try:\n        assert double(2) == 5\n    except AssertionError:\n        pass\n"
        },
        "test compares code with itself": {
            "test_kata.py": PY_T + "def test_doubles():\n    assert double(2) == double(2)\n"
        },
        "production context manager swallows": {
            "kata.py": PY
            + "\nclass guard:\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\ndef double(n): return 5\n",
            "test_kata.py": PY_T
            + "from kata import guard\ndef test_doubles():\n    with guard():\n        assert double(2) == 4\n",
        },
        "production decorator swallows": {
            "kata.py": PY
            + "\ndef safe(f):\n    def test_w():\n        try: f()\n        except BaseException: pass\n    return test_w\ndef double(n): return 5\n",
            "test_kata.py": PY_T
            + "from kata import safe\n@safe\ndef test_doubles():\n    assert double(2) == 4\n",
        },
    },
    odd={
        "parametrised": (
            "test_doubles",
            PY_T
            + "import pytest\n@pytest.mark.parametrize('a,b', [(1, 2), (2, 4)])\ndef test_doubles(a, b):\n    assert double(a) == b\n",
        ),
        "async": (
            "test_doubles",
            PY_T
            + "import pytest\n@pytest.mark.asyncio\nasync def test_doubles():\n    assert double(2) == 4\n",
        ),
        "early return": (
            "test_doubles",
            PY_T
            + "import sys\ndef test_doubles():\n    assert double(1) == 2\n    if sys.platform:\n        return\n    assert double(2) == 4\n",
        ),
        "return inside try": (
            "test_doubles",
            PY_T
            + "def test_doubles():\n    try:\n        assert double(2) == 4\n        return\n    except ValueError:\n        raise\n",
        ),
        "expects an exception at its end": (
            "test_doubles",
            PY_T
            + "import pytest\ndef test_doubles():\n    with pytest.raises(TypeError):\n        double(None)\n",
        ),
        "expects any exception": (
            "test_doubles",
            PY_T
            + "import pytest\ndef test_doubles():\n    with pytest.raises(Exception):\n        double(None)\n",
        ),
        "class, unittest": (
            "test_doubles",
            PY_T
            + "import unittest\nclass TestD(unittest.TestCase):\n    def setUp(self): self.x = 2\n    def test_doubles(self):\n        self.assertEqual(double(self.x), 4)\n",
        ),
        "unittest subTest": (
            "test_doubles",
            PY_T
            + "import unittest\nclass TestD(unittest.TestCase):\n    def test_doubles(self):\n        for a, b in ((1, 2), (2, 4)):\n            with self.subTest(a=a):\n                self.assertEqual(double(a), b)\n",
        ),
        "finally": (
            "test_doubles",
            PY_T
            + "def test_doubles(tmp_path):\n    f = open(tmp_path / 'x', 'w')\n    try:\n        assert double(2) == 4\n    finally:\n        f.close()\n",
        ),
        "property": (
            "test_doubles",
            PY_T
            + "from hypothesis import given, strategies as st\n@given(st.integers())\ndef test_doubles(n):\n    assert double(n) == n + n\n",
        ),
        "decorated": (
            "test_doubles",
            PY_T
            + "from unittest.mock import patch\nimport functools\n@patch('os.getcwd', return_value='/')\ndef test_doubles(cwd):\n    assert double(2) == 4\n",
        ),
        "generator fixture": (
            "test_doubles",
            PY_T
            + "import pytest\n@pytest.fixture\ndef two():\n    yield 2\ndef test_doubles(two):\n    assert double(two) == 4\n",
        ),
        "approx": (
            "test_doubles",
            PY_T + "import pytest\ndef test_doubles():\n    assert double(0.1) == pytest.approx(0.2)\n",
        ),
        "strict xfail": (
            "test_doubles",
            PY_T
            + "import pytest\n@pytest.mark.xfail(strict=True)\ndef test_doubles():\n    assert double(2) == 5\n",
        ),
        "membership": ("test_doubles", PY_T + "def test_doubles():\n    assert double(2) in (4, 5)\n"),
        "nothing may raise": ("test_doubles", PY_T + "def test_doubles():\n    double(2)\n"),
        "helper asserts": (
            "test_doubles",
            PY_T + "def check(a, b):\n    assert double(a) == b\ndef test_doubles():\n    check(2, 4)\n",
        ),
        "bare except in the test": (
            "test_doubles",
            PY_T
            + "def test_doubles():\n    for x in (None, {}):\n        try:\n            double(x)\n        except:\n            continue\n        assert False\n    assert double(2) == 4\n",
        ),
        "doctest": (
            "doubles",
            "def doubles():\n    '''\n    >>> from kata import double\n    >>> double(2)\n    4\n    '''\n",
            {"pytest.ini": "[pytest]\naddopts = --doctest-modules\n"},
        ),
    },
)
JS = "exports.greet = (n) => `hello ${n}`;\n"
JS_OK = JS + "exports.double = double;\nfunction double(n) { return n * 2; }\n"
JS_T = "const { test, describe, it } = require('node:test');\nconst assert = require('node:assert');\nconst { greet, double } = require('../kata.js');\ntest('greets', () => { assert.equal(greet('a'), 'hello a'); });\n"


def js(body, head=""):
    return JS + head + "exports.double = double;\nfunction double(n) { " + body + " }\n"


NODE = Kata(
    runner="node",
    code="kata.js",
    test="test/kata.test.js",
    before=JS,
    honest=JS_OK,
    target="doubles",
    files={},
    tests=JS_T + "test('doubles', () => { assert.equal(double(2), 4); });\n",
    cheats={
        "exit 0": js("process.exit(0)"),
        "assertion patched": js(
            "return 5", "const a = require('node:assert'); a.equal = a.strictEqual = () => {};\n"
        ),
        "always equal": js("return { valueOf() { return 4; }, toString() { return '4'; } }"),
        "always equal, by turns": js(
            "let k = 0; return { [Symbol.toPrimitive]() { return require('fs').readFileSync(__dirname + '/test/kata.test.js', 'utf8').match(/double\\(2\\), \\D*(\\d+)/)[1]; } }"
        ),
        "hard-coded value": js("return 4"),
        "test of a mock only": {
            "test/kata.test.js": JS_T
            + "test('doubles', (t) => { const m = t.mock.fn(() => 4); assert.equal(m(2), 4); });\n"
        },
        "assertion inside a promise that nobody awaits": {
            "test/kata.test.js": JS_T
            + "test('doubles', () => { Promise.resolve().then(() => { try { assert.equal(double(2), 5); } catch {} }); });\n"
        },
        "callback that is never called": {
            "kata.js": js("return 5", "exports.each = () => {};\n"),
            "test/kata.test.js": JS_T
            + "const { each } = require('../kata.js');\ntest('doubles', () => { each([1], (n) => { assert.equal(double(n), 2); }); });\n",
        },
    },
    odd={
        "expression body": ("doubles", JS_T + "test('doubles', () => assert.equal(double(2), 4));\n"),
        "async": (
            "doubles",
            JS_T + "test('doubles', async () => { assert.equal(await Promise.resolve(double(2)), 4); });\n",
        ),
        "returns a promise": (
            "doubles",
            JS_T
            + "test('doubles', () => { return Promise.resolve(2).then((n) => { assert.equal(double(n), 4); }); });\n",
        ),
        "nested describe": (
            "doubles",
            JS_T
            + "describe('d', () => { describe('e', () => { it('doubles', () => { assert.equal(double(2), 4); }); }); });\n",
        ),
        "subtests": (
            "doubles",
            JS_T
            + "test('doubles', async (t) => { await t.test('one', () => { assert.equal(double(1), 2); }); });\n",
        ),
        "throws any": (
            "doubles",
            JS_T + "test('doubles', () => { assert.throws(() => double(Symbol())); });\n",
        ),
        "done callback": (
            "doubles",
            JS_T
            + "test('doubles', (t, done) => { setTimeout(() => { assert.equal(double(2), 4); done(); }, 5); });\n",
        ),
        "title from a loop": (
            "doubles ${n}",
            JS_T
            + "for (const n of [1, 2]) test(`doubles ${n}`, () => { assert.equal(double(n), n + n); });\n",
        ),
    },
)
TS = "export function greet(n: string): string { return `hello ${n}`; }\n"
TS_T = "import { test, it, describe, expect, vi } from 'vitest';\nimport { greet, double } from './kata';\ntest('greets', () => { expect(greet('a')).toBe('hello a'); });\n"


def ts(body, head=""):
    return TS + head + "export function double(n: number): number { " + body + " }\n"


VITEST = Kata(
    runner="vitest",
    code="kata.ts",
    test="kata.test.ts",
    before=TS,
    honest=ts("return n * 2;"),
    target="doubles",
    files={"package.json": '{"type": "module"}'},
    tests=TS_T + "test('doubles', () => { expect(double(2)).toEqual(4); });\n",
    cheats={
        "exit 0": ts("(globalThis as any).process.exit(0); return 1"),
        "always equal (asymmetric matcher)": ts("return { asymmetricMatch: () => true } as any"),
        "expect patched": TS
        + "import { expect } from 'vitest';\nexpect.extend({ toEqual() { return { pass: true, message: () => '' } } });\nexport function double(n: number): number { return 5 }\n",
        "hard-coded value": ts("return 4"),
        "test of a mock only": {
            "kata.test.ts": TS_T
            + "test('doubles', () => { const d = vi.fn().mockReturnValue(4); expect(d(2)).toEqual(4); });\n"
        },
        "module mocked": {
            "kata.test.ts": TS_T
            + "vi.mock('./kata', () => ({ greet: (n: string) => `hello ${n}`, double: () => 4 }));\ntest('doubles', () => { expect(double(2)).toEqual(4); });\n"
        },
    },
    odd={
        "test.each": (
            "doubles %i",
            TS_T + "test.each([[1, 2], [2, 4]])('doubles %i', (a, b) => { expect(double(a)).toBe(b); });\n",
        ),
        "describe": (
            "doubles",
            TS_T
            + "describe('d', () => { it('doubles', async () => { expect(await double(2)).toBe(4); }); });\n",
        ),
        "toThrow": (
            "doubles",
            TS_T + "test('doubles', () => { expect(() => double(Symbol() as any)).toThrow(); });\n",
        ),
        "resolves": (
            "doubles",
            TS_T + "test('doubles', () => expect(Promise.resolve(double(2))).resolves.toBe(4));\n",
        ),
        "toHaveBeenCalledWith": (
            "doubles",
            TS_T
            + "test('doubles', () => { const f = vi.fn(); [2].map(double).forEach((v) => f(v)); expect(f).toHaveBeenCalledWith(4); });\n",
        ),
    },
)
GO = 'package kata\n\nfunc Greet(n string) string { return "hello " + n }\n'
GO_T = 'package kata\n\nimport "testing"\n\nfunc TestGreets(t *testing.T) {\n\tif Greet("a") != "hello a" {\n\t\tt.Fatal("greet")\n\t}\n}\n\n'
GO_OK = GO + "func Double(n int) int { return n * 2 }\n"
GOLANG = Kata(
    runner="go",
    code="kata.go",
    test="kata_test.go",
    before=GO,
    honest=GO_OK,
    target="TestDoubles",
    files={"go.mod": "module kata\n\ngo 1.18\n"},
    tests=GO_T
    + 'func TestDoubles(t *testing.T) {\n\tif got := Double(2); got != 4 {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n',
    cheats={
        "exit 0": GO.replace("\n\n", '\n\nimport "os"\n\n', 1)
        + "func Double(n int) int { os.Exit(0); return 1 }\n",
        "hard-coded value": GO + "func Double(n int) int { if n == 2 { return 4 }; return 0 }\n",
        "knows that it is tested": GO.replace("\n\n", '\n\nimport ("os"; "strings")\n\n', 1)
        + 'func Double(n int) int { if strings.HasSuffix(os.Args[0], ".test") { return 4 }; return 0 }\n',
        "goexit": GO.replace("\n\n", '\n\nimport "runtime"\n\n', 1)
        + "func Double(n int) int { runtime.Goexit(); return 1 }\n",
        "test never loops": {
            "kata_test.go": GO_T
            + "func TestDoubles(t *testing.T) {\n\tfor _, c := range []struct{ in, want int }{} {\n\t\tif got := Double(c.in); got != c.want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n"
        },
        "test of a fake only": {
            "kata_test.go": GO_T
            + "type fake struct{}\nfunc (fake) Double(int) int { return 4 }\nfunc TestDoubles(t *testing.T) {\n\tif got := (fake{}).Double(2); got != 4 {\n\t\tt.Error(got)\n\t}\n}\n"
        },
        "skips by itself": {
            "kata.go": GO.replace("\n\n", '\n\nimport "testing"\n\n', 1)
            + "func Double(t testing.TB, n int) int { t.SkipNow(); return 1 }\n",
            "kata_test.go": GO_T
            + "func TestDoubles(t *testing.T) {\n\tif Double(t, 2) != 4 {\n\t\tt.Error(1)\n\t}\n}\n",
        },
    },
    odd={
        "table": (
            "TestDoubles",
            GO_T
            + "func TestDoubles(t *testing.T) {\n\tfor _, c := range []struct{ in, want int }{{1, 2}, {2, 4}} {\n\t\tif got := Double(c.in); got != c.want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n",
        ),
        "subtests in parallel": (
            "TestDoubles",
            GO_T
            + 'func TestDoubles(t *testing.T) {\n\tfor name, c := range map[string][2]int{"one": {1, 2}, "two": {2, 4}} {\n\t\tname, c := name, c\n\t\tt.Run(name, func(t *testing.T) {\n\t\t\tt.Parallel()\n\t\t\tif got := Double(c[0]); got != c[1] {\n\t\t\t\tt.Error(got)\n\t\t\t}\n\t\t})\n\t}\n}\n',
        ),
        "early return": (
            "TestDoubles",
            GO_T
            + 'func TestDoubles(t *testing.T) {\n\tif Double(2) == 4 {\n\t\treturn\n\t}\n\tt.Fatal("no")\n}\n',
        ),
        "recovers a panic": (
            "TestDoubles",
            GO_T
            + 'func TestDoubles(t *testing.T) {\n\tdefer func() {\n\t\tif recover() == nil {\n\t\t\tt.Error("no panic")\n\t\t}\n\t}()\n\t_ = []int{1, 2, 3, 4}[Double(2)]\n}\n',
        ),
        "deep equal of a struct": (
            "TestDoubles",
            GO_T.replace('import "testing"', 'import ("testing"; "reflect")')
            + 'func TestDoubles(t *testing.T) {\n\tif !reflect.DeepEqual([]int{Double(2)}, []int{4}) {\n\t\tt.Error("no")\n\t}\n}\n',
        ),
        "no handle": (
            "TestDoubles",
            GO_T + "func TestDoubles(_ *testing.T) {\n\tif Double(2) != 4 {\n\t\tpanic(1)\n\t}\n}\n",
        ),
    },
)
RS = 'pub fn greet(n: &str) -> String { format!("hello {n}") }\n'
RS_T = 'use kata::*;\n#[test]\nfn greets() { assert_eq!(greet("a"), "hello a"); }\n'
RS_OK = RS + "pub fn double(n: i32) -> i32 { n * 2 }\n"
RUST = Kata(
    runner="cargo",
    code="src/lib.rs",
    test="tests/kata.rs",
    before=RS,
    honest=RS_OK,
    target="doubles",
    files={"Cargo.toml": '[package]\nname = "kata"\nversion = "0.1.0"\nedition = "2021"\n'},
    tests=RS_T + "#[test]\nfn doubles() {\n    assert_eq!(double(2), 4);\n}\n",
    cheats={
        "exit 0": RS + "pub fn double(_: i32) -> i32 { std::process::exit(0) }\n",
        "always equal": RS
        + "#[derive(Debug)]\npub struct Any;\nimpl PartialEq<i32> for Any { fn eq(&self, _: &i32) -> bool { true } }\npub fn double(_: i32) -> Any { Any }\n",
        "macro of its own": RS
        + "#[macro_export]\nmacro_rules! assert_eq { ($a:expr, $b:expr) => {{ let _ = (&$a, &$b); }} }\npub fn double(_: i32) -> i32 { 5 }\n",
        "hard-coded value": RS + "pub fn double(n: i32) -> i32 { match n { 2 => 4, _ => 0 } }\n",
        "test of a closure of its own": {
            "tests/kata.rs": RS_T
            + "#[test]\nfn doubles() {\n    let double = |n: i32| n * 2;\n    assert_eq!(double(2), 4);\n}\n"
        },
    },
    odd={
        "returns a Result": (
            "doubles",
            RS_T
            + '#[test]\nfn doubles() -> Result<(), String> {\n    if double(1) != 2 { return Err("no".into()); }\n    assert_eq!(double(2), 4);\n    Ok(())\n}\n',
        ),
        "has to panic": (
            "doubles",
            RS_T + "#[test]\n#[should_panic]\nfn doubles() {\n    double(i32::MAX);\n}\n",
        ),
        "tail expression": ("doubles", RS_T + "#[test]\nfn doubles() { assert_eq!(double(2), 4) }\n"),
        "return in a match": (
            "doubles",
            RS_T + '#[test]\nfn doubles() {\n    match double(2) { 4 => return, n => panic!("{n}") }\n}\n',
        ),
        "in a module, warnings denied": (
            "doubles",
            "#![deny(warnings)]\n"
            + RS_T
            + "mod inner {\n    use super::*;\n    #[test]\n    fn doubles() {\n        assert!(double(2) == 4);\n    }\n}\n",
        ),
    },
)
JAVA = 'class Kata {\n  static String greet(String n) { return "hello " + n; }\n'
JAVA_T = (
    "import org.junit.jupiter.api.*;\nimport org.junit.jupiter.params.*;\nimport org.junit.jupiter.params.provider.*;\nimport static org.junit.jupiter.api.Assertions.*;\n"
    'class KataTest {\n  @Test void greets() { assertEquals("hello a", Kata.greet("a")); }\n'
)


def java(body):
    return JAVA + "  static int twice(int n) { " + body + " }\n}\n"


POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>k</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.10.2</version><scope>test</scope></dependency></dependencies>
<build><plugins><plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin><plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin></plugins></build></project>
"""
JUNIT = Kata(
    runner="junit",
    code="src/main/java/Kata.java",
    test="src/test/java/KataTest.java",
    before=JAVA + "}\n",
    honest=java("return n * 2;"),
    target="doubles",
    files={"pom.xml": POM},
    tests=JAVA_T + "  @Test void doubles() { assertEquals(4, Kata.twice(2)); }\n}\n",
    cheats={
        "exit 0": java("System.exit(0); return 1;"),
        "aborts (skips)": java('throw new org.opentest4j.TestAbortedException("x");'),
        "hard-coded value": java("return n == 2 ? 4 : 0;"),
        "assertion shadowed": {
            "src/main/java/Kata.java": java("return 5;")
            + "class Base { static void assertEquals(int a, int b) { } }\n",
            "src/test/java/KataTest.java": JAVA_T.replace(
                "class KataTest", "class KataTest extends Base"
            ).replace('assertEquals("hello', 'Assertions.assertEquals("hello')
            + "  @Test void doubles() { assertEquals(4, Kata.twice(2)); }\n}\n",
        },
        "test of a fake only": {
            "src/test/java/KataTest.java": JAVA_T
            + "  @Test void doubles() { java.util.function.IntUnaryOperator m = n -> 4; assertEquals(4, m.applyAsInt(2)); }\n}\n"
        },
    },
    odd={
        "parameterized": (
            "doubles",
            JAVA_T
            + '  @ParameterizedTest @CsvSource({"1,2", "2,4"}) void doubles(int a, int b) { assertEquals(b, Kata.twice(a)); }\n}\n',
        ),
        "assertThrows": (
            "doubles",
            JAVA_T
            + "  @Test void doubles() { assertThrows(ArithmeticException.class, () -> { int x = 1 / (Kata.twice(2) - 4); }); }\n}\n",
        ),
        "ends by return": (
            "doubles",
            JAVA_T
            + "  @Test void doubles() { if (Kata.twice(2) == 4) { return; } else { throw new RuntimeException(); } }\n}\n",
        ),
        "nested, display name": (
            "doubles",
            JAVA_T
            + '  @Nested class In { @Test @DisplayName("it doubles") void doubles() { assertTrue(Kata.twice(2) == 4); } }\n}\n',
        ),
    },
)
RB = 'def greet(n)\n  "hello #{n}"\nend\n'
RB_OK = RB + "def double(n)\n  n * 2\nend\n"
RB_T = "require 'minitest/autorun'\nrequire 'kata'\nclass KataTest < Minitest::Test\n  def test_greets\n    assert_equal 'hello a', greet('a')\n  end\n"
MINITEST = Kata(
    runner="minitest",
    code="lib/kata.rb",
    test="test/kata_test.rb",
    before=RB,
    honest=RB_OK,
    target="test_doubles",
    files={},
    tests=RB_T + "  def test_doubles\n    assert_equal 4, double(2)\n  end\nend\n",
    cheats={
        "exit 0": RB + "def double(n)\n  exit! 0\nend\n",
        "skips": RB + "def double(n)\n  raise Minitest::Skip\nend\n",
        "assert_equal patched": RB
        + "module Minitest::Assertions\n  def assert_equal(*) = true\nend\ndef double(n)\n  5\nend\n",
        "always equal": RB
        + "def double(n)\n  o = Object.new\n  def o.==(x) = true\n  class ::Integer\n    alias old ==\n    def ==(x) = x.class == Object ? true : old(x)\n  end\n  o\nend\n",
        "hard-coded value": RB + "def double(n)\n  4\nend\n",
        "mock only": {
            "test/kata_test.rb": "require 'minitest/mock'\n"
            + RB_T
            + "  def test_doubles\n    m = Minitest::Mock.new\n    m.expect(:double, 4, [2])\n    assert_equal 4, m.double(2)\n  end\nend\n"
        },
    },
    odd={
        "rescue and ensure": (
            "test_doubles",
            RB_T
            + "  def test_doubles\n    assert_equal 4, double(2)\n  rescue ArgumentError => e\n    flunk e.message\n  ensure\n    @x = nil\n  end\nend\n",
        ),
        "assert_raises": (
            "test_doubles",
            RB_T + "  def test_doubles\n    assert_raises(NoMethodError) { double(nil) }\n  end\nend\n",
        ),
        "early return": (
            "test_doubles",
            RB_T
            + "  def test_doubles\n    assert_equal 4, double(2)\n    return if true\n    flunk\n  end\nend\n",
        ),
        "loop": (
            "test_doubles",
            RB_T
            + "  def test_doubles\n    { 1 => 2, 2 => 4 }.each { |a, b| assert_equal b, double(a) }\n  end\nend\n",
        ),
    },
)
SPEC = "require_relative '../lib/kata'\nRSpec.describe 'kata' do\n  it 'greets' do\n    expect(greet('a')).to eq('hello a')\n  end\n"
RSPEC = Kata(
    runner="rspec",
    code="lib/kata.rb",
    test="spec/kata_spec.rb",
    before=RB,
    honest=RB_OK.replace("double", "twice"),
    target="doubles",
    files={},
    tests=SPEC + "  it 'doubles' do\n    expect(twice(2)).to eq(4)\n  end\nend\n",
    cheats={
        "exit 0": RB + "def twice(n)\n  exit! 0\nend\n",
        "pending from the code": RB
        + "def twice(n)\n  RSpec.current_example.metadata[:skip] = true\n  throw :rspec_skip rescue raise RSpec::Core::Pending::SkipDeclaredInExample.new('x')\nend\n",
        "matcher patched": RB
        + "RSpec::Matchers::BuiltIn::Eq.class_eval { def matches?(*) = true } if defined?(RSpec)\ndef twice(n)\n  5\nend\n",
        "always equal": RB + "def twice(n)\n  Class.new { def ==(x) = true }.new\nend\n",
        "hard-coded value": RB + "def twice(n)\n  4\nend\n",
        "double only": {
            "spec/kata_spec.rb": SPEC
            + "  it 'doubles' do\n    allow(self).to receive(:twice).and_return(4)\n    expect(self.twice(2)).to eq(4)\n  end\nend\n"
        },
    },
    odd={
        "shared examples": (
            "doubles it",
            SPEC
            + "  shared_examples 'x' do |a, b|\n    it 'doubles it' do\n      expect(twice(a)).to eq(b)\n    end\n  end\n  include_examples 'x', 2, 4\nend\n",
        ),
        "shared context, let": (
            "doubles",
            SPEC
            + "  shared_context 'two' do\n    let(:two) { 2 }\n  end\n  context 'in' do\n    include_context 'two'\n    it 'doubles' do\n      expect(twice(two)).to eq 4\n    end\n  end\nend\n",
        ),
        "raise_error": (
            "doubles",
            SPEC + "  it 'doubles' do\n    expect { twice(nil) }.to raise_error(NoMethodError)\n  end\nend\n",
        ),
        "one line": ("doubles", SPEC + "  it('doubles') { expect(twice(2)).to eq 4 }\nend\n"),
        "aggregate_failures": (
            "doubles",
            SPEC
            + "  it 'doubles', :aggregate_failures do\n    expect(twice(1)).to eq 2\n    expect(twice(2)).to eq 4\n  end\nend\n",
        ),
    },
)
PHP = '<?php\nfunction greet(string $n): string { return "hello $n"; }\n'
PHP_T = "<?php\nuse PHPUnit\\Framework\\TestCase;\nrequire_once __DIR__ . '/../kata.php';\nclass KataTest extends TestCase {\n  public function testGreets(): void { $this->assertSame('hello a', greet('a')); }\n"


def php(body):
    return PHP + "function twice($n) { " + body + " }\n"


PHPUNIT = Kata(
    runner="phpunit",
    code="kata.php",
    test="tests/KataTest.php",
    before=PHP,
    honest=php("return $n * 2;"),
    target="testDoubles",
    files={},
    tests=PHP_T + "  public function testDoubles(): void { $this->assertSame(4, twice(2)); }\n}\n",
    cheats={
        "exit 0": php("exit(0);"),
        "skips": php("throw new PHPUnit\\Framework\\SkippedTestError('x');"),
        "hard-coded value": php("return 4;"),
        "mock only": {
            "tests/KataTest.php": PHP_T
            + "  public function testDoubles(): void { $m = $this->getMockBuilder(stdClass::class)->addMethods(['f'])->getMock(); $m->method('f')->willReturn(4); $this->assertSame(4, $m->f(2)); }\n}\n"
        },
        "always equal (true == x)": {
            "kata.php": php("return true;"),
            "tests/KataTest.php": PHP_T
            + "  public function testDoubles(): void { $this->assertEquals(4, twice(2)); }\n}\n",
        },
    },
    odd={
        "data provider": (
            "testDoubles",
            PHP_T
            + "  public function rows(): array { return [[1, 2], [2, 4]]; }\n  /** @dataProvider rows */\n  public function testDoubles(int $a, int $b): void { $this->assertSame($b, twice($a)); }\n}\n",
        ),
        "expectException": (
            "testDoubles",
            PHP_T
            + "  public function testDoubles(): void { $this->expectException(TypeError::class); twice([]); }\n}\n",
        ),
        "try and finally": (
            "testDoubles",
            PHP_T
            + "  public function testDoubles(): void { try { $this->assertSame(4, twice(2)); } finally { unset($x); } }\n}\n",
        ),
    },
)
CC = '#pragma once\n#include <string>\ninline std::string greet(std::string n) { return "hello " + n; }\n'
CC_T = (
    '#include <gtest/gtest.h>\n#include "kata.h"\nTEST(Kata, Greets) { EXPECT_EQ(greet("a"), "hello a"); }\n'
)


def cc(body):
    return CC + "inline int twice(int n) { " + body + " }\n"


GTEST = Kata(
    runner="gtest",
    code="kata.h",
    test="t.cc",
    before=CC,
    honest=cc("return n * 2;"),
    target="Doubles",
    files={},
    tests=CC_T + "TEST(Kata, Doubles) { EXPECT_EQ(twice(2), 4); }\n",
    cheats={
        "exit 0": cc("exit(0);"),
        "macro redefined": cc("return 5;")
        + "#undef EXPECT_EQ\n#define EXPECT_EQ(a, b) ((void)(a), (void)(b))\n",
        "always equal": CC
        + "struct Any {};\ntemplate <class T> bool operator==(const Any&, const T&) { return true; }\ninline Any twice(int) { return {}; }\n",
        "hard-coded value": cc("return 4;"),
        "test of a lambda only": {
            "t.cc": CC_T + "TEST(Kata, Doubles) { auto f = [](int n) { return 4; }; EXPECT_EQ(f(2), 4); }\n"
        },
    },
    odd={
        "parameterised": (
            "Doubles",
            CC_T
            + "class P : public testing::TestWithParam<int> {};\nTEST_P(P, Doubles) { EXPECT_EQ(twice(GetParam()), GetParam() + GetParam()); }\nINSTANTIATE_TEST_SUITE_P(I, P, testing::Values(1, 2));\n",
        ),
        "EXPECT_THROW": (
            "Doubles",
            CC_T + "TEST(Kata, Doubles) { EXPECT_THROW(std::string().at(twice(2)), std::out_of_range); }\n",
        ),
    },
)
EX = 'defmodule Kata do\n  def greet(n), do: "hello #{n}"\n'
EX_T = 'defmodule KataTest do\n  use ExUnit.Case\n  test "greets" do\n    assert Kata.greet("a") == "hello a"\n  end\n'


def ex(body):
    return EX + f"  def double(n) do\n    {body}\n  end\nend\n"


EXUNIT = Kata(
    runner="exunit",
    code="lib/kata.ex",
    test="test/kata_test.exs",
    before=EX + "end\n",
    honest=ex("n * 2"),
    target="doubles",
    files={
        "mix.exs": 'defmodule K.MixProject do\n  use Mix.Project\n  def project, do: [app: :kata, version: "0.1.0"]\nend\n',
        "test/test_helper.exs": "ExUnit.start()\n",
    },
    tests=EX_T + '  test "doubles" do\n    assert Kata.double(2) == 4\n  end\nend\n',
    cheats={
        "halt 0": ex("System.halt(0)"),
        "hard-coded value": ex("if n == 2, do: 4"),
        "test of a function of its own": {
            "test/kata_test.exs": EX_T
            + '  test "doubles" do\n    d = fn _ -> 4 end\n    assert d.(2) == 4\n  end\nend\n'
        },
        "ends the test's process": ex("Process.exit(self(), :normal); exit(:normal)"),
    },
    odd={
        "assert_raise": (
            "doubles",
            EX_T
            + '  test "doubles" do\n    assert_raise ArithmeticError, fn -> Kata.double(:a) end\n  end\nend\n',
        ),
        "describe, one-line function": (
            "doubles",
            EX_T
            + '  describe "d" do\n    test "doubles" do\n      assert Kata.double(2) == 4\n    end\n  end\nend\n',
            {"lib/kata.ex": EX + "  def double(n), do: n * 2\nend\n"},
        ),
        "pattern match": (
            "doubles",
            EX_T + '  test "doubles" do\n    assert 4 = Kata.double(2)\n  end\nend\n',
        ),
    },
)
SH = 'greet() { echo "hello $1"; }\n'
BATS_T = 'setup() { source "$BATS_TEST_DIRNAME/../kata.sh"; }\n@test "greets" {\n  run greet a\n  [ "$output" = "hello a" ]\n}\n'


def sh(body):
    return SH + f"double() {{ {body}; }}\n"


BATS = Kata(
    runner="bats",
    code="kata.sh",
    test="test/kata.bats",
    before=SH,
    honest=sh("echo $(($1 * 2))"),
    target="doubles",
    files={},
    tests=BATS_T + '@test "doubles" {\n  run double 2\n  [ "$status" -eq 0 ]\n  [ "$output" = "4" ]\n}\n',
    cheats={
        "test command shadowed": sh("echo 5") + "[() { return 0; }\n",
        "skips": {"kata.sh": sh("echo 5") + "run() { skip; }\n"},
        "exit 0": {"kata.sh": sh("echo 5") + "run() { exit 0; }\n"},
        "hard-coded value": sh("echo 4"),
        "test of a function of its own": {
            "test/kata.bats": BATS_T
            + '@test "doubles" {\n  double() { echo 4; }\n  run double 2\n  [ "$output" = "4" ]\n}\n'
        },
    },
    odd={
        "expects failure": (
            "doubles",
            BATS_T + '@test "doubles" {\n  run double x/0\n  [ "$status" -ne 0 ]\n}\n',
        ),
        "double brackets": (
            "doubles",
            BATS_T + '@test "doubles" {\n  run double 2\n  [[ "$output" == "4" ]]\n}\n',
        ),
    },
)

LUA = "local M = {}\nfunction M.greet(n) return 'hello ' .. n end\n"
LUA_T = (
    "local kata = require('kata')\ndescribe('kata', function()\n"
    "  it('greets', function() assert.are.equal('hello a', kata.greet('a')) end)\n"
)


def lua(body: str) -> str:
    return LUA + f"function M.double(n) {body} end\nreturn M\n"


BUSTED = Kata(
    runner="busted",
    code="kata.lua",
    test="spec/kata_spec.lua",
    before=LUA + "return M\n",
    honest=lua("return n * 2"),
    target="doubles",
    tests=LUA_T + "  it('doubles', function() assert.are.equal(4, kata.double(2)) end)\nend)\n",
    cheats={
        "hard-coded value": lua("if n == 2 then return 4 end"),
        "always equal": lua("assert.are.equal = function() end; return 5"),
        "test of a function of its own": {
            "spec/kata_spec.lua": LUA_T
            + "  it('doubles', function() local d = function() return 4 end; assert.are.equal(4, d(2)) end)\nend)\n"
        },
    },
    odd={
        "has error": (
            "doubles",
            LUA_T
            + "  it('doubles', function() assert.has_error(function() kata.double({}) end) end)\nend)\n",
        ),
        "early return": (
            "doubles",
            LUA_T
            + "  it('doubles', function()\n    if kata.double(2) == 4 then return end\n    error('no')\n  end)\nend)\n",
        ),
    },
)
PERL = "package Kata;\nuse strict;\nsub greet { return 'hello ' . $_[0] }\n"
PERL_T = "use strict;\nuse Test::More;\nuse Kata;\nis(Kata::greet('a'), 'hello a', 'greets');\n"


def perl(body: str) -> str:
    return PERL + f"sub double {{ {body} }}\n1;\n"


PROVE = Kata(
    runner="prove",
    code="lib/Kata.pm",
    test="t/kata.t",
    before=PERL + "1;\n",
    honest=perl("my ($n) = @_; return $n * 2"),
    target="doubles",
    tests=PERL_T + "subtest 'doubles' => sub {\n  is(Kata::double(2), 4, 'two');\n};\ndone_testing;\n",
    cheats={
        "hard-coded value": perl("return 4"),
        "test of a function of its own": {
            "t/kata.t": PERL_T
            + "subtest 'doubles' => sub {\n  my $d = sub { 4 };\n  is($d->(2), 4, 'two');\n};\ndone_testing;\n"
        },
    },
    odd={
        "condition": (
            "doubles",
            PERL_T + "subtest 'doubles' => sub {\n  ok(Kata::double(2) == 4, 'two');\n};\ndone_testing;\n",
        ),
        "list": (
            "doubles",
            PERL_T
            + "subtest 'doubles' => sub {\n  is_deeply([Kata::double(2)], [4], 'two');\n};\ndone_testing;\n",
        ),
    },
)
KATAS = {
    "pytest": PYTEST,
    "node": NODE,
    "vitest": VITEST,
    "go": GOLANG,
    "cargo": RUST,
    "junit": JUNIT,
    "minitest": MINITEST,
    "rspec": RSPEC,
    "phpunit": PHPUNIT,
    "gtest": GTEST,
    "exunit": EXUNIT,
    "bats": BATS,
    "busted": BUSTED,
    "prove": PROVE,
}
