"""O1-O3: commands of several parts, suites that fail only as a whole, and true flakes."""

from __future__ import annotations

from .bases import CALC, CARGO, GO, JS_CALC, JS_LINT, JS_TEST, LINT, NODE, PYTEST, PYTHON, TEST_CALC, UNITTEST
from .harness import LANDS, REFUSED, WARNS, Base, Row

RED = {
    "tests/test_double.py": "from calc import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"
}
TWO = {PATH: RED[PATH] + "\n\ndef test_doubles_nothing():\n    assert double(0) == 0\n" for PATH in RED}
UNITTEST_FILES = {
    "tests/__init__.py": "",
    "tests/test_calc.py": "import unittest\n\nfrom calc import div\n\n\nclass Calc(unittest.TestCase):\n    def test_div(self):\n        self.assertEqual(div(4, 2), 2)\n",
}
UNITTEST_TWO = {
    "tests/test_double.py": "import unittest\n\nimport calc\n\n\nclass Double(unittest.TestCase):\n    def test_doubles(self):\n        self.assertEqual(calc.double(2), 4)\n\n    def test_two(self):\n        self.assertEqual(1 + 1, 2)\n"
}
FLOORS_TWICE = {
    "tests/test_floor.py": "from calc import div\n\n\ndef test_whole():\n    assert div(7, 2) == 3\n\n\ndef test_more():\n    assert div(9, 2) == 4\n"
}
ONE_OF_TWO = {PATH: RED[PATH] + "\n\ndef test_two():\n    assert 1 + 1 == 2\n" for PATH in RED}
RIGHT = {"calc.py": CALC + "\n\ndef double(n):\n    return n * 2\n"}
FLOOR = {"tests/test_floor.py": "from calc import div\n\n\ndef test_whole():\n    assert div(7, 2) == 3\n"}
FLOORS = {"calc.py": CALC.replace("a / b", "a // b")}
LINTED = {"calc.py": CALC + "\n\ndef double(n):  # TODO: floats\n    return n * 2\n"}
JS = {"js/calc.js": JS_CALC, "js/test/calc.test.js": JS_TEST, "js/package.json": '{"name": "calc"}\n'}
JS_BROKEN = {**RIGHT, "js/calc.js": JS_CALC.replace("a + b", "a - b")}

MAKE_LINT = {"Makefile": "test:\n\t{python} -m pytest -q\n\t{python} tools/lint.py\n", "tools/lint.py": LINT}
LINT_FIRST = {**MAKE_LINT, "Makefile": "test:\n\t{python} tools/lint.py\n\t{python} -m pytest -q\n"}
MAKE_JS = {**JS, "Makefile": "test:\n\t{python} -m pytest -q\n\tcd js && node --test\n"}
JOIN_LINT = {
    "check.sh": "#!/bin/sh\n{python} -m pytest -q; a=$?\n{python} tools/lint.py; b=$?\nexit $((a + b))\n",
    "tools/lint.py": LINT,
}
JOIN_JS = {
    **JS,
    "check.sh": "#!/bin/sh\n{python} -m pytest -q; a=$?\n(cd js && node --test); b=$?\nexit $((a | b))\n",
}
TYPES_FIRST = {
    "Makefile": "test:\n\t{python} -m mypy --no-incremental calc.py tests\n\t{python} -m pytest -q\n"
}
RED_TYPED = {
    "tests/test_div.py": "from calc import div\n\n\ndef test_limit() -> None:\n    assert div(9, 2, 3) == 3\n"
}
DIV_TYPED = {
    "calc.py": CALC.replace("def div(a, b):", "def div(a, b, most=None):").replace(
        "return a / b", "return a / b if most is None else most"
    )
}
BUILD_FIRST = {
    "Makefile": "test: build\n\t{python} -m pytest -q\n\nbuild:\n\t@echo Compiling calc\n\t{python} -m compileall -q calc.py\n"
}
SUITES = """
[[test.suite]]
name = "python"
command = ["{python}", "-m", "pytest", "-q"]
[[test.suite]]
name = "js"
command = ["node", "--test"]
cwd = "js"
"""

JS_RED = {
    "test/double.test.js": """
const test = require("node:test");
const assert = require("node:assert");
const { double } = require("../calc.js");

test("doubles", () => { assert.strictEqual(double(2), 4); });
"""
}
JS_RIGHT = {"calc.js": JS_CALC + "exports.double = (n) => n * 2;\n"}
JS_LINTED = {"calc.js": JS_CALC + "exports.double = (n) => n * 2; // TODO: floats\n"}
NPM = Base(
    "npm",
    ("npm", "test"),
    {**NODE.files, "tools/lint.js": JS_LINT,
     "package.json": '{"name": "calc", "version": "1.0.0", "scripts": {"test": "node --test && node tools/lint.js"}}\n'},
    needs=("node", "npm"),
)  # fmt: skip
POSTTEST = {
    "package.json": '{"name": "calc", "version": "1.0.0", "scripts": {"test": "node --test", "posttest": "node tools/lint.js"}}\n'
}
JS_AND_PYTHON = Base("pytest and node", "", {**PYTHON, **JS}, needs=("node",), config=SUITES)


PACKAGES = {
    f"packages/{one}/{path}": text.replace("calc", "core")
    for one in "ab"
    for path, text in (("core.py", CALC), ("tests/test_core.py", TEST_CALC), ("conftest.py", ""))
}
LOOP = {**PACKAGES, "check.sh": "for one in packages/*; do (cd $one && {python} -m pytest -q); done\n"}
IN_B = {"packages/b/tests/test_core.py": f"from core import double\n{PACKAGES['packages/b/tests/test_core.py']}\n\ndef test_doubles():\n    assert double(2) == 4\n"}  # fmt: skip
TWICE = {
    "packages/a/tests/test_core.py": IN_B["packages/b/tests/test_core.py"],
    "packages/a/core.py": RIGHT["calc.py"],
}
IN_B_RIGHT = {"packages/b/core.py": RIGHT["calc.py"]}

ONE_TEST = """import unittest

from calc import add


class CalcTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)

"""
DOUBLES = """    def test_doubles(self):
        import calc

        self.assertEqual(calc.double(2), 4)

"""
MAIN = "\nif __name__ == '__main__':\n    unittest.main()\n"
ONE_FILE = Base("one file", ("{python}", "test.py"), {"calc.py": CALC, "test.py": ONE_TEST + MAIN})

BOTH = Base(
    "code and tests in one file",
    ("{python}", "-m", "pytest", "-q", "calc.py"),
    {"calc.py": CALC + "\n\nTHREE = 3\n\n\ndef test_adds():\n    assert add(1, 2) == THREE\n"},
)
BOTH_RED = {
    "calc.py": f"import pytest\n{BOTH.files['calc.py']}\n\ndef test_doubles():\n    assert double(2) == 4\n"
}
BOTH_RIGHT = {
    "calc.py": BOTH_RED["calc.py"].replace("\n\nTHREE", "\n\ndef double(n):\n    return n * 2\n\n\nTHREE")
}
BOTH_WRONG = {"calc.py": BOTH_RIGHT["calc.py"].replace("THREE = 3", "THREE = add(1, 2)")}
SLOW_TOO = {
    path: f"import pytest\n\n{text}\n\n@pytest.mark.slow\ndef test_triples():\n    assert double(3) == 6\n"
    for path, text in RED.items()
}
BOTH_CHEAT = {"calc.py": BOTH_RED["calc.py"] + "\n\ntest_doubles = lambda: None\n"}
CASE_FILE = CALC + "\n\n" + ONE_TEST.replace("from calc import add\n\n", "")
CASE_BOTH = Base("one file, unittest", ("{python}", "-m", "unittest", "-v", "calc"), {"calc.py": CASE_FILE})
CASE_RED = {"calc.py": CASE_FILE + "    def test_doubles(self):\n        self.assertEqual(double(2), 4)\n"}
CASE_RIGHT = {"calc.py": RIGHT["calc.py"] + CASE_RED["calc.py"].removeprefix(CALC)}


def _make(name: str, files: object, green: object, expect: str, red: object = RED, **kw: object) -> Row:
    return Row("O1", name, PYTEST, red, green, expect, files=files, command=("make", "test"), **kw)  # type: ignore[arg-type]


def _script(name: str, files: object, green: object, expect: str, **kw: object) -> Row:
    return Row("O1", name, PYTEST, RED, green, expect, files=files, command=("sh", "check.sh"), **kw)  # type: ignore[arg-type]


XDIST = ("{python}", "-m", "pytest", "-q", "-n", "2")
SHELL = "{python} -m pytest -q && {python} tools/lint.py"
COMMANDS = (
    _make("make: pytest then lint, GREEN breaks the lint", MAKE_LINT, LINTED, REFUSED, phase="GREEN", says="lint: TODO"),
    _make("make: pytest then lint, honest", MAKE_LINT, RIGHT, LANDS),
    _make("make: lint then pytest, GREEN breaks the lint", LINT_FIRST, LINTED, REFUSED, phase="GREEN"),
    _make("make: lint then pytest, honest", LINT_FIRST, RIGHT, LANDS),
    _make("make: pytest then node, GREEN breaks node's part", MAKE_JS, JS_BROKEN, REFUSED),
    _make("make: pytest then node, honest", MAKE_JS, RIGHT, LANDS),
    Row("O1", "make: RED stops it before node, whose part is run without RED; suites are named", PYTEST, FLOOR, FLOORS,
        WARNS, files=MAKE_JS, command=("make", "test"), says="[[test.suite]]"),
    Row("O1", "make: mypy then pytest, which RED stops, honest", PYTEST, RED, RIGHT, WARNS, files=TYPES_FIRST,
        command=("make", "test"), says="[[test.suite]]"),
    Row("O1", "make: mypy then pytest, another argument, honest", PYTEST, RED_TYPED, DIV_TYPED, WARNS, files=TYPES_FIRST,
        command=("make", "test"), says="[[test.suite]]"),
    _make("make: mypy then pytest, GREEN does nothing", TYPES_FIRST, {}, REFUSED, phase="GREEN"),
    _make("make: a build step first, honest", BUILD_FIRST, RIGHT, LANDS),
    _script("script: pytest and lint, joined codes, GREEN breaks the lint", JOIN_LINT, LINTED, REFUSED, says="lint: TODO"),
    _script("script: pytest and lint, joined codes, honest", JOIN_LINT, RIGHT, LANDS),
    _script("script: pytest and node, joined codes, GREEN breaks node's part", JOIN_JS, JS_BROKEN, REFUSED),
    _script("script: pytest and node, joined codes, honest", JOIN_JS, RIGHT, LANDS),
    Row("O1", "script: a loop over packages with tests of one name, honest", PYTEST, IN_B, IN_B_RIGHT, files=LOOP,
        command=("sh", "check.sh")),
    Row("O1", "script: a loop over packages, the test is in the other one already", PYTEST, IN_B, IN_B_RIGHT,
        files={**LOOP, **TWICE}, command=("sh", "check.sh")),
    Row("O1", "script: a loop over packages, GREEN breaks the first", PYTEST, IN_B,
        {**IN_B_RIGHT, "packages/a/core.py": CALC.replace("a + b", "a - b")}, REFUSED, files=LOOP,
        command=("sh", "check.sh"), phase="GREEN"),
    Row("O1", "make: pytest then lint, GREEN empties the lint", PYTEST, RED, {**LINTED, "tools/lint.py": "print('lint: clean')\n"},
        REFUSED, files=MAKE_LINT, command=("make", "test"), phase="GREEN", verdicts=("forbidden_change",)),
    Row("O1", "shell: pytest && lint, GREEN breaks the lint", PYTEST, RED, LINTED, REFUSED,
        files={"tools/lint.py": LINT}, command=SHELL, shell=True, phase="GREEN"),
    Row("O1", "shell: pytest && lint, honest", PYTEST, RED, RIGHT,
        files={"tools/lint.py": LINT}, command=SHELL, shell=True),
    Row("O1", "shell: the exit code is thrown away, GREEN does nothing", PYTEST, RED,
        {"calc.py": CALC + "\n\ndef double(n):\n    return n\n"}, REFUSED,
        command="{python} -m pytest -q || true", shell=True),
    Row("O1", "npm: node --test && lint, GREEN breaks the lint", NPM, JS_RED, JS_LINTED, REFUSED, phase="GREEN", says="lint: TODO"),
    Row("O1", "npm: node --test && lint, honest", NPM, JS_RED, JS_RIGHT),
    Row("O1", "npm: a lint in posttest, GREEN empties it", NPM, JS_RED, {**JS_LINTED, "tools/lint.js": ""}, REFUSED, files=POSTTEST,
        phase="GREEN", verdicts=("forbidden_change",)),
    Row("O1", "npm: a lint in posttest, honest", NPM, JS_RED, JS_RIGHT, files=POSTTEST),
    Row("O1", "the command runs one test file, as a program", ONE_FILE, {"test.py": ONE_TEST + DOUBLES + MAIN}, RIGHT),
    Row("O1", "the command runs one test file, GREEN changes it", ONE_FILE, {"test.py": ONE_TEST + DOUBLES + MAIN},
        {"test.py": ONE_TEST + MAIN}, REFUSED, phase="GREEN", verdicts=("forbidden_change",)),
    Row("O1", "the command leaves out the new test, whose file does not load", PYTEST, RED, RIGHT, REFUSED,
        command=(*PYTEST.command, "-k", "not doubles"), phase="RED", verdicts=("no_new_test",), says="does not run"),
    Row("O1", "the command leaves out one of two new tests, whose file does not load", PYTEST, SLOW_TOO, RIGHT,
        WARNS, command=(*PYTEST.command, "-m", "not slow"), says="does not run"),
    Row("O1", "code and tests in one file", BOTH, BOTH_RED, BOTH_RIGHT),
    Row("O1", "code and tests in one file, RED writes code", BOTH, BOTH_RIGHT, BOTH_RIGHT, REFUSED, phase="RED", verdicts=("forbidden_change",), says="RED may change the tests in this file"),
    Row("O1", "code and tests in one file, GREEN changes a test's value", BOTH, BOTH_RED, BOTH_WRONG, REFUSED, phase="GREEN", verdicts=("forbidden_change",)),
    Row("O1", "code and tests in one file, GREEN puts something in the test's place", BOTH, BOTH_RED, BOTH_CHEAT, REFUSED, phase="GREEN"),
    Row("O1", "code and tests in one file (unittest)", CASE_BOTH, CASE_RED, CASE_RIGHT),
    _make("make: two parts, a behaviour of the second", MAKE_JS, {"js/calc.js": JS_CALC + "exports.double = (n) => n * 2;\n"}, LANDS,
          red={f"js/{path}": text for path, text in JS_RED.items()}),
    Row("O1", "suites: GREEN breaks the other one", JS_AND_PYTHON, RED, JS_BROKEN, REFUSED, phase="GREEN"),
    Row("O1", "suites: honest", JS_AND_PYTHON, RED, RIGHT),
)  # fmt: skip

ADD_WRONG = {"calc.py": RIGHT["calc.py"].replace("a + b", "a - b")}
NOT_ENOUGH = {"calc.py": CALC + "\n\ndef double(n):\n    return n\n"}
DOCTESTED = CALC.replace(
    "    return a + b", '    """The sum.\n\n    >>> add(2, 3)\n    5\n    """\n    return a + b'
)
DOC_RIGHT = {"calc.py": DOCTESTED + RIGHT["calc.py"].removeprefix(CALC)}
DOC_BROKEN = {"calc.py": DOC_RIGHT["calc.py"].replace("    5\n", "    6\n")}
DOC_WRONG = {"calc.py": DOC_RIGHT["calc.py"].replace("return a + b", "return 3")}
SESSION = """
import subprocess
import sys

STEPS = [["-m", "pytest", "-q"], ["-m", "doctest", "calc.py"]]
codes = [subprocess.run([sys.executable, *step]).returncode for step in STEPS]
for step, code in zip(STEPS, codes):
    print("session", step[1], "was successful" if code == 0 else "failed")
sys.exit(1 if any(codes) else 0)
"""
IGNORED = {"Makefile": "test:\n\t-{python} -m pytest -q\n"}
LAST_COUNTS = {**JS, "check.sh": "{python} -m pytest -q\ncd js && node --test\n"}
WORKSPACES = Base(
    "npm workspaces",
    ("npm", "test", "--workspaces"),
    {f"packages/{one}/{path}": (text or "").replace('"calc"', f'"{one}"').replace('"1.0.0"', '"1.0.0", "scripts": {"test": "node --test"}')
     for one in ("one", "two") for path, text in NODE.files.items()}
    | {"package.json": '{"name": "all", "private": true, "workspaces": ["packages/*"]}\n'},
    needs=("node", "npm"),
)  # fmt: skip
IN_TWO = {f"packages/two/{path}": text for path, text in JS_RED.items()}
TWO_RIGHT = {f"packages/two/{path}": text for path, text in JS_RIGHT.items()}
TWO_AND_ONE = {**TWO_RIGHT, "packages/one/calc.js": JS_CALC.replace("a + b", "a - b")}
ODD = """
import pytest

from calc import double


@pytest.mark.parametrize("n, wanted", [
    pytest.param(2, 4, id="a::b"), pytest.param(3, 6, id="two [2] rows"), pytest.param(4, 8, id="\u00fc/\u2603 - 1"),
    pytest.param(5, 10, id="PASSED"), pytest.param(6, 12, id="a\\nb"), pytest.param(7, 14, id="[100%]"),
])
def test_doubles(n, wanted):
    assert double(n) == wanted
"""
ODD_ROWS = {"tests/test_odd.py": ODD}
ODD_SOME = {"calc.py": CALC + "\n\ndef double(n):\n    return n * 2 if n != 5 else 0\n"}
VETTED = Base(
    "go vet && go test", "go vet ./... && go test ./...", GO.files, needs=("go",), shell=True
)  # fmt: skip
GO_RED = {
    "double_test.go": 'package calc\n\nimport "testing"\n\nfunc TestDouble(t *testing.T) {\n\tif got := Double(2); got != 4 {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n'
}
GO_RIGHT = {"double.go": "package calc\n\nfunc Double(n int) int { return n * 2 }\n"}
GO_UNVETTED = {"double.go": "package calc\n\nfunc Double(n int) int {\n\tn = n\n\treturn n * 2\n}\n"}
RUST_DOC = "/// Doubles.\n///\n/// ```\n/// assert_eq!(calc::add(1, 2), 3);\n/// ```\npub fn add"
RUST_DOCS = {"src/lib.rs": (CARGO.files["src/lib.rs"] or "").replace("pub fn add", RUST_DOC)}
RUST_RED = {
    "tests/double.rs": "use calc::double;\n\n#[test]\nfn doubles() {\n    assert_eq!(double(2), 4);\n}\n"
}
RUST_RIGHT = {"src/lib.rs": RUST_DOCS["src/lib.rs"] + "\npub fn double(n: i32) -> i32 {\n    n * 2\n}\n"}
RUST_BROKEN = {"src/lib.rs": RUST_RIGHT["src/lib.rs"].replace("calc::add(1, 2), 3", "calc::add(1, 2), 4")}
COVERED = (
    "{python} -m coverage run --include=calc.py -m pytest -q && {python} -m coverage report --fail-under=100"
)
UNCOVERED = {
    "calc.py": RIGHT["calc.py"].replace(
        "    return n * 2", "    if n < 0:\n        print(n)\n    return n * 2"
    )
}

LAYOUTS = (
    _make("make: errors ignored (-), GREEN does nothing", IGNORED, NOT_ENOUGH, REFUSED),
    _make("make: errors ignored (-), GREEN breaks another test", IGNORED, ADD_WRONG, REFUSED),
    _make("make: errors ignored (-), honest", IGNORED, RIGHT, LANDS),
    _script("script: the last part's exit code, GREEN breaks the first", LAST_COUNTS, ADD_WRONG, REFUSED),
    Row("O1", "shell: the exit code is lost in a pipe, GREEN breaks another test", PYTEST, RED, ADD_WRONG, REFUSED,
        command="{python} -m pytest -q | cat", shell=True),
    Row("O1", "session: tests and doctests, GREEN breaks a doctest", PYTEST, RED, DOC_WRONG, REFUSED,
        files={"calc.py": DOCTESTED, "tests/test_calc.py": TEST_CALC, "session.py": SESSION}, command=("{python}", "session.py")),
    Row("O1", "session: tests and doctests, honest", PYTEST, RED, DOC_RIGHT,
        files={"calc.py": DOCTESTED, "session.py": SESSION}, command=("{python}", "session.py")),
    Row("O1", "pytest with doctests, GREEN breaks one", PYTEST, RED, DOC_BROKEN, REFUSED, files={"calc.py": DOCTESTED},
        command=("{python}", "-m", "pytest", "-q", "--doctest-modules")),
    Row("O1", "pytest with doctests, honest", PYTEST, RED, DOC_RIGHT, files={"calc.py": DOCTESTED},
        command=("{python}", "-m", "pytest", "-q", "--doctest-modules")),
    Row("O1", "workspaces: GREEN breaks the other package", WORKSPACES, IN_TWO, TWO_AND_ONE, REFUSED, phase="GREEN"),
    Row("O1", "workspaces: honest", WORKSPACES, IN_TWO, TWO_RIGHT),
    Row("O1", "go vet && go test: GREEN is not vetted", VETTED, GO_RED, GO_UNVETTED, REFUSED, phase="GREEN"),
    Row("O1", "go vet && go test: honest", VETTED, GO_RED, GO_RIGHT),
    Row("O1", "make test: go test, honest", GO, GO_RED, GO_RIGHT, command=("make", "test"),
        files={"Makefile": "test:\n\tgo test ./...\n"}),
    Row("O1", "cargo: GREEN breaks a doc test", CARGO, RUST_RED, RUST_BROKEN, REFUSED, files=RUST_DOCS, phase="GREEN"),
    Row("O1", "cargo: a doc test, honest", CARGO, RUST_RED, RUST_RIGHT, files=RUST_DOCS),
    Row("O1", "coverage below the limit", PYTEST, RED, UNCOVERED, REFUSED, command=COVERED, shell=True, phase="GREEN",
        files={".gitignore": ".coverage\n__pycache__/\n"}),
    Row("O1", "coverage at the limit, honest", PYTEST, RED, RIGHT, command=COVERED, shell=True,
        files={".gitignore": ".coverage\n__pycache__/\n"}),
    Row("O1", "xdist: GREEN breaks another test", PYTEST, RED, ADD_WRONG, REFUSED, command=XDIST, phase="GREEN"),
    Row("O1", "xdist: honest", PYTEST, RED, RIGHT, command=XDIST),
    Row("O1", "rows with odd ids, honest", PYTEST, ODD_ROWS, RIGHT),
    Row("O1", "rows with odd ids, one still fails", PYTEST, ODD_ROWS, ODD_SOME, REFUSED, phase="GREEN"),
    Row("O1", "rows with odd ids under xdist, one still fails", PYTEST, ODD_ROWS, ODD_SOME, REFUSED, command=XDIST, phase="GREEN"),
    Row("O1", "pytest -x: two new tests, honest", PYTEST, TWO, RIGHT, command=("{python}", "-m", "pytest", "-q", "-x")),
    Row("O1", "pytest -x: two new tests whose assertions fail, honest", PYTEST, FLOORS_TWICE, FLOORS,
        command=("{python}", "-m", "pytest", "-q", "-x")),
    Row("O1", "pytest -x: two new tests, one passes already", PYTEST, ONE_OF_TWO, RIGHT, REFUSED,
        command=("{python}", "-m", "pytest", "-q", "-x"), phase="RED"),
    Row("O1", "unittest -f: two new tests, one passes already", PYTEST, UNITTEST_TWO, RIGHT, REFUSED,
        command=("{python}", "-m", "unittest", "discover", "-f", "-s", "tests", "-t", "."), phase="RED",
        files=UNITTEST_FILES),
    Row("O1", "pytest -x: GREEN breaks an earlier test", PYTEST, RED, ADD_WRONG, REFUSED,
        command=("{python}", "-m", "pytest", "-q", "-x"), phase="GREEN"),
    Row("O1", "the command names another test file: the new one is not run", PYTEST, RED, RIGHT, REFUSED,
        command=("{python}", "-m", "pytest", "-q", "tests/test_calc.py"), phase="RED"),
)  # fmt: skip

HISTORY = """
history = []


def add(a, b):
    return a + b


def div(a, b):
    return a / b
"""
LAST = {
    "calc.py": HISTORY,
    "tests/test_zhistory.py": "import calc\n\n\ndef test_starts_empty():\n    assert calc.history == []\n",
}
LEAKS = {"calc.py": HISTORY + "\n\ndef double(n):\n    history.append(n)\n    return n * 2\n"}
TIDY = {"calc.py": HISTORY + "\n\ndef double(n):\n    return n * 2\n"}
READS = {
    "names.txt": "ada\n",
    "tests/test_zfile.py": "import pathlib\n\n\ndef test_reads():\n    assert pathlib.Path('names.txt').read_text() == 'ada\\n'\n",
}
MOVES = {"calc.py": "import os\n" + CALC + "\n\ndef double(n):\n    os.chdir('/')\n    return n * 2\n"}
SETS = {
    "calc.py": "import os\n" + CALC + "\n\ndef double(n):\n    os.environ['DEBUG'] = '1'\n    return n * 2\n"
}
ASKS_ENV = {
    "tests/test_zenv.py": "import os\n\n\ndef test_no_debugging():\n    assert 'DEBUG' not in os.environ\n"
}
BREAKS_AT_IMPORT = {
    "tests/test_aa_double.py": "import calc\n\ncalc.add = None\n\n\ndef test_doubles():\n    assert calc.double(2) == 4\n"
}
LATE_IMPORT = {
    "tests/test_calc.py": "import calc\n\n\ndef test_adds():\n    assert calc.add(1, 2) == 3\n\n\ndef test_divides():\n    assert calc.div(6, 2) == 3\n"
}
UNIT_LAST = {
    "calc.py": HISTORY,
    "tests/test_zhistory.py": """
import unittest

import calc


class HistoryTest(unittest.TestCase):
    def test_starts_empty(self):
        self.assertEqual(calc.history, [])
""",
}
UNIT_RED = {
    "tests/test_double.py": """
import unittest

from calc import double


class DoubleTest(unittest.TestCase):
    def test_doubles(self):
        self.assertEqual(double(2), 4)
"""
}
JS_HISTORY = JS_CALC + "exports.history = [];\n"
JS_OLD = (
    JS_TEST
    + 'test("z starts empty", () => { assert.deepStrictEqual(require("../calc.js").history, []); });\n'
)
JS_FIRST = JS_OLD.replace(
    'test("adds"',
    'test("doubles", () => { assert.strictEqual(require("../calc.js").double(2), 4); });\ntest("adds"',
)
JS_LEAKS = JS_HISTORY + "exports.double = (n) => { exports.history.push(n); return n * 2; };\n"

WHOLE = (
    Row("O2", "GREEN fills a list of the module", PYTEST, RED, LEAKS, REFUSED, files=LAST, verdicts=("breaks_existing",)),
    Row("O2", "a list of the module, honest", PYTEST, RED, TIDY, files=LAST),
    Row("O2", "GREEN changes the folder", PYTEST, RED, MOVES, REFUSED, files=READS, verdicts=("breaks_existing",)),
    Row("O2", "GREEN sets an environment variable", PYTEST, RED, SETS, REFUSED, files=ASKS_ENV, verdicts=("breaks_existing",)),
    Row("O2", "RED replaces a function at import", PYTEST, BREAKS_AT_IMPORT, RIGHT, REFUSED, files=LATE_IMPORT, phase="RED"),
    Row("O2", "GREEN fills a list of the module (unittest)", UNITTEST, UNIT_RED, LEAKS, REFUSED, files=UNIT_LAST),
    Row("O2", "GREEN fills a list of the module (node)", NODE, {"test/calc.test.js": JS_FIRST}, {"calc.js": JS_LEAKS},
        REFUSED, files={"calc.js": JS_HISTORY, "test/calc.test.js": JS_OLD}),
)  # fmt: skip


def _flaky(bad: str) -> str:
    """A test that fails in its runs number ``bad``, counted across trees; never in the check of a clean checkout."""
    return f"""
import os
import pathlib

COUNT = pathlib.Path("{{tmp}}/runs")


def test_sometimes():
    if os.environ.get("CLEAN_RUN"):
        return
    number = int(COUNT.read_text()) + 1 if COUNT.exists() else 1
    COUNT.write_text(str(number))
    assert number not in {bad}
"""


def _flake(when: str, bad: str) -> Row:
    return Row(
        "O3",
        f"another test fails once, {when}",
        PYTEST,
        RED,
        RIGHT,
        files={"tests/test_flaky.py": _flaky(bad)},
    )


FLAKES = (
    _flake("in run 2", "(2,)"), _flake("in run 3", "(3,)"), _flake("in run 4", "(4,)"), _flake("in each phase", "(2, 4, 6)"),
)  # fmt: skip

ROWS = (*COMMANDS, *LAYOUTS, *WHOLE, *FLAKES)
