"""O4, item 5 a-l: honest RED of every ordinary kind, for Python."""

from __future__ import annotations

from .bases import CALC, CASE_CALC, PYTEST, SRC, TEST_CALC, UNITTEST
from .harness import ASKS, LANDS, REFUSED, Base, Row

HEAD = "from calc import add, div\n\n\n"
DOUBLE = "\n\ndef double(n):\n    return n * 2\n"
RIGHT = {"calc.py": CALC + DOUBLE}


def row(
    name: str,
    red: object,
    green: object,
    expect: str = LANDS,
    threat: str = "O4",
    base: Base = PYTEST,
    **kw: object,
) -> Row:
    return Row(threat, name, base, red, green, expect, **kw)  # type: ignore[arg-type]


def old(before: str, after: str) -> str:
    assert before in TEST_CALC
    return TEST_CALC.replace(before, after)


def crash(name: str, given: str, test: str, then: str) -> Row:
    """A bug that crashes: its natural test sees an exception of the code."""
    red = {"tests/test_bug.py": f"from shop import *\n\n\ndef test_bug():\n    {test}\n"}
    return row(f"a bug that crashes: {name}", red, {"shop.py": then}, files={"shop.py": given}, kind="bug")


WARNS_TEST = "import pytest\n\nfrom calc import add\n\n\ndef test_warns():\n    with pytest.warns(DeprecationWarning):\n        add('1', '2')\n"
WARNING = """
import warnings


def warn_text(value):
    if isinstance(value, str):
        warnings.warn("numbers, please", DeprecationWarning)

"""
SRC_UNITTEST = Base(
    "src layout, unittest",
    "PYTHONPATH=src {python} -m unittest discover -s tests -t .",
    {"src/calc/__init__.py": CALC, "tests/__init__.py": "", "tests/test_calc.py": CASE_CALC},
    shell=True,
)
SRC_RIGHT = {"src/calc/__init__.py": CALC + DOUBLE}
UNLOADED = (
    row("an old file that a new name stops, pytest with a path of its own", {"tests/test_calc.py": TEST_CALC.replace("import add", "import add, double") + "\n\ndef test_doubles():\n    assert double(2) == 4\n"}, SRC_RIGHT, base=SRC),
    row("an old file that a new name stops, a test that stays red", {"tests/test_calc.py": TEST_CALC.replace("import add", "import add, double") + "\n\ndef test_doubles():\n    assert double(2) == 5\n"}, SRC_RIGHT, REFUSED, base=SRC, phase="GREEN"),
    row("an old file that a new name stops, unittest that only counts", {"tests/test_calc.py": CASE_CALC.replace("import add", "import add, double") + "\n    def test_doubles(self):\n        self.assertEqual(double(2), 4)\n"}, SRC_RIGHT, base=SRC_UNITTEST),
    row("an old file that a new name stops, make with a path of its own", {"tests/test_calc.py": TEST_CALC.replace("import add", "import add, double") + "\n\ndef test_doubles():\n    assert double(2) == 4\n"}, SRC_RIGHT, base=SRC, files={"Makefile": "test:\n\tPYTHONPATH=src {python} -m pytest -q\n"}, command=("make", "test")),
    row("a new test that is skipped, pytest with a path of its own", {"tests/test_more.py": "import pytest\n\n\n@pytest.mark.skip\ndef test_doubles():\n    from calc import double\n    assert double(2) == 4\n"}, SRC_RIGHT, REFUSED, base=SRC, phase="RED", says="skips 1 without their names"),
    row("a wrong GREEN under pytest with a path of its own", {"tests/test_calc.py": TEST_CALC.replace("import add", "import add, double") + "\n\ndef test_doubles():\n    assert double(2) == 4\n"}, {"src/calc/__init__.py": CALC.replace("a + b", "a - b") + DOUBLE}, REFUSED, base=SRC, phase="GREEN", verdicts=("breaks_existing",)),
)  # fmt: skip
CRASHES = (
    row("a bug that crashes: division by zero", {"tests/test_bug.py": HEAD + "def test_by_zero():\n    assert div(1, 0) is None\n"},
        {"calc.py": CALC.replace("return a / b", "return a / b if b else None")}, kind="bug"),
    crash("IndexError", "def first(items):\n    return items[0]\n", "assert first([]) is None", "def first(items):\n    return items[0] if items else None\n"),
    crash("KeyError", "def price(shop, name):\n    return shop[name]\n", "assert price({}, 'tea') == 0", "def price(shop, name):\n    return shop.get(name, 0)\n"),
    crash("an attribute of None", "def shout(name):\n    return name.upper()\n", "assert shout(None) == ''", "def shout(name):\n    return name.upper() if name else ''\n"),
    crash("the project's own exception", "class NoStock(Exception):\n    pass\n\n\ndef buy(stock):\n    if not stock:\n        raise NoStock('none left')\n    return stock - 1\n", "assert buy(0) == 0", "class NoStock(Exception):\n    pass\n\n\ndef buy(stock):\n    return max(stock - 1, 0)\n"),
    crash("ValueError of int()", "def number(text):\n    return int(text)\n", "assert number('') == 0", "def number(text):\n    return int(text or 0)\n"),
    crash("RecursionError", "def depth(n):\n    return 1 + depth(n - 1) if n else 0\n", "assert depth(-1) == 0", "def depth(n):\n    return 1 + depth(n - 1) if n > 0 else 0\n"),
    crash("NotImplementedError", "def buy():\n    raise NotImplementedError\n", "assert buy() == 1", "def buy():\n    return 1\n"),
    crash("SystemExit in the code", "def parse(words):\n    if not words:\n        raise SystemExit(2)\n    return words\n", "assert parse([]) == []", "def parse(words):\n    return words\n"),
    row("a bug that crashes: unittest", {"tests/test_bug.py": "import unittest\n\nfrom calc import div\n\n\nclass BugTest(unittest.TestCase):\n    def test_by_zero(self):\n        self.assertIsNone(div(1, 0))\n"},
        {"calc.py": CALC.replace("return a / b", "return a / b if b else None")}, base=UNITTEST),
    row("an exception that is wanted: pytest.raises", {"tests/test_bug.py": "import pytest\n\nfrom calc import add\n\n\ndef test_refuses_text():\n    with pytest.raises(TypeError, match='numbers only'):\n        add('a', 'b')\n"},
        {"calc.py": CALC.replace("    return a + b", "    if isinstance(a, str):\n        raise TypeError('numbers only')\n    return a + b")}),
    row("a warning that is wanted: pytest.warns", {"tests/test_bug.py": WARNS_TEST}, {"calc.py": WARNING + CALC.replace("    return a + b", "    warn_text(a)\n    return a + b")}),
    row("a warning that is wanted: a command that only counts", {"tests/test_bug.py": WARNS_TEST}, {"src/calc/__init__.py": WARNING + CALC.replace("    return a + b", "    warn_text(a)\n    return a + b")}, base=SRC),
    row("an exception that is wanted: not raised before", {"tests/test_bug.py": "import pytest\n\nfrom calc import add\n\n\ndef test_refuses_text():\n    with pytest.raises(TypeError):\n        add('a', 'b')\n"},
        {"calc.py": CALC.replace("    return a + b", "    if isinstance(a, str):\n        raise TypeError('numbers only')\n    return a + b")}),
)  # fmt: skip

TABLE = "import pytest\n\nfrom calc import add\n\n\n@pytest.mark.parametrize(('a', 'b', 'c'), [(1, 2, 3), (0, 0, 0)])\ndef test_adds(a, b, c):\n    assert add(a, b) == c\n"
LOOP = "from calc import add\n\nROWS = [\n    (1, 2, 3),\n]\n\n\ndef test_adds():\n    for a, b, c in ROWS:\n        assert add(a, b) == c\n"
ADD_TEXT = {"calc.py": CALC.replace("return a + b", "return int(a) + int(b)")}
THREE = {
    "calc.py": CALC.replace("def add(a, b):\n    return a + b", "def add(a, b, c=0):\n    return a + b + c")
}
SUBTEST = """
import unittest

from calc import add


class CalcTest(unittest.TestCase):
    def test_adds(self):
        for a, b, c in [(1, 2, 3), (0, 0, 0)]:
            with self.subTest(a=a, b=b):
                self.assertEqual(add(a, b), c)
"""
FLOOR = {"calc.py": CALC.replace("a / b", "a // b")}
HALF = "from calc import div\n\n\ndef check(wanted, *numbers):\n    assert div(*numbers) == wanted\n"
HALF_TEST = "\n\ndef test_halves():\n    check(3.5, 7, 2)\n"
HALF_FIXTURE = "import pytest\n\n\n@pytest.fixture\ndef half():\n    return 7, 2, 3.5\n"
HALF_SET_UP = """
import unittest

from calc import div


class HalfTest(unittest.TestCase):
    def setUp(self):
        self.half = 3.5

    def test_halves(self):
        self.assertEqual(div(7, 2), self.half)
"""
HELPER = "from calc import add\n\n\ndef check(wanted, *numbers):\n    assert add(*numbers) == wanted\n"
CASES = "[[1, 2, 3]]\n"
FROM_FILE = "import json\nimport pathlib\n\nfrom calc import add\n\nHERE = pathlib.Path(__file__).parent\n\n\ndef test_adds():\n    for a, b, c in json.loads((HERE / 'cases.json').read_text()):\n        assert add(a, b) == c\n"
SNAPSHOT = "import pathlib\n\nfrom shop import page\n\nHERE = pathlib.Path(__file__).parent\n\n\ndef test_page():\n    assert page() == (HERE / 'page.txt').read_text()\n"
PAGE = "def page():\n    return 'one\\n'\n"

LISTED = "import unittest\n\nfrom tests import test_calc\n\nMODULES = [test_calc]\n\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite(map(loader.loadTestsFromModule, MODULES))\n"
IN_LIST = "import unittest\n\nfrom calc import double\n\n\nclass MoreTest(unittest.TestCase):\n    def test_doubles(self):\n        self.assertEqual(double(2), 4)\n"
CHANGED = (
    row("changed behaviour: the expected value", {"tests/test_calc.py": old("assert div(6, 2) == 3", "assert div(7, 2) == 3")}, {"calc.py": CALC.replace("a / b", "a // b")}),
    row("changed behaviour: value and name", {"tests/test_calc.py": old("test_divides():\n    assert div(6, 2) == 3", "test_divides_whole():\n    assert div(7, 2) == 3")}, {"calc.py": CALC.replace("a / b", "a // b")}),
    row("changed behaviour: one more argument", {"tests/test_calc.py": old("add(1, 2) == 3", "add(1, 2, 3) == 6")}, THREE),
    row("changed behaviour: a keyword argument", {"tests/test_calc.py": old("add(1, 2) == 3", "add(1, 2, c=3) == 6")}, THREE),
    row("changed behaviour: a function is renamed", {"tests/test_calc.py": TEST_CALC.replace("add", "plus")}, {"calc.py": CALC.replace("def add", "def plus")}),
    row("changed behaviour: an assertion appended", {"tests/test_calc.py": old("assert add(1, 2) == 3", "assert add(1, 2) == 3\n    assert add('1', 2) == 3")}, ADD_TEXT),
    row("changed behaviour: a row of a table", {"tests/test_calc.py": TABLE.replace("(0, 0, 0)", "(0, 0, 0), ('1', '2', 3)")}, ADD_TEXT, files={"tests/test_calc.py": TABLE}),
    row("changed behaviour: a row of a loop", {"tests/test_calc.py": LOOP.replace("(1, 2, 3),", "(1, 2, 3),\n    ('1', '2', 3),")}, ADD_TEXT, files={"tests/test_calc.py": LOOP}),
    row("changed behaviour: a row of a table is edited", {"tests/test_calc.py": TABLE.replace("(0, 0, 0)", "('0', '0', 0)")}, ADD_TEXT, files={"tests/test_calc.py": TABLE}),
    row("changed behaviour: a row of a subTest loop", {"tests/test_calc.py": SUBTEST.replace("(0, 0, 0)", "(0, 0, 0), ('1', '2', 3)")}, ADD_TEXT, files={"tests/test_calc.py": SUBTEST}),
    row("changed behaviour: a row of a subTest loop (unittest)", {"tests/test_calc.py": SUBTEST.replace("(0, 0, 0)", "(0, 0, 0), ('1', '2', 3)")}, ADD_TEXT, base=UNITTEST, files={"tests/test_calc.py": SUBTEST}),
    row("changed behaviour: the expected value (unittest)", {"tests/test_calc.py": CASE_CALC.replace("div(6, 2), 3", "div(7, 2), 3")}, {"calc.py": CALC.replace("a / b", "a // b")}, base=UNITTEST),
    row("changed behaviour: a helper and a new test", {"tests/helpers.py": HELPER + "\n\ndef check_all(rows):\n    for wanted, *numbers in rows:\n        check(wanted, *numbers)\n", "tests/test_more.py": "from helpers import check_all\n\n\ndef test_texts():\n    check_all([(3, '1', '2')])\n"}, ADD_TEXT, files={"tests/helpers.py": HELPER}),
    row("changed behaviour: the helper of an old test", {"tests/test_half.py": HALF.replace("== wanted", "== int(wanted)") + HALF_TEST}, FLOOR, files={"tests/test_half.py": HALF + HALF_TEST}),
    row("changed behaviour: the helper of an old test, in a file of its own", {"tests/helpers.py": HALF.replace("== wanted", "== int(wanted)")}, FLOOR, files={"tests/helpers.py": HALF, "tests/test_half.py": "from helpers import check\n" + HALF_TEST}),
    row("changed behaviour: the fixture of an old test", {"tests/conftest.py": HALF_FIXTURE.replace("3.5", "3")}, FLOOR, files={"tests/conftest.py": HALF_FIXTURE, "tests/test_half.py": "from calc import div\n\n\ndef test_halves(half):\n    a, b, c = half\n    assert div(a, b) == c\n"}),
    row("changed behaviour: setUp of an old test", {"tests/test_half.py": HALF_SET_UP.replace("self.half = 3.5", "self.half = 3")}, FLOOR, files={"tests/test_half.py": HALF_SET_UP}),
    row("changed behaviour: a new conftest with a fixture", {"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef texts():\n    return '1', '2'\n", "tests/test_more.py": "from calc import add\n\n\ndef test_texts(texts):\n    assert add(*texts) == 3\n"}, ADD_TEXT),
    row("changed behaviour: a fixture beside others", {"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n\n\n@pytest.fixture\ndef texts():\n    return '1', '2'\n", "tests/test_more.py": "from calc import add\n\n\ndef test_texts(texts, two):\n    assert add(*texts) == two + 1\n"}, ADD_TEXT, files={"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n"}),
    row("changed behaviour: a data file of an old test", {"tests/cases.json": '[[1, 2, 3], ["1", "2", 3]]\n'}, ADD_TEXT, files={"tests/cases.json": CASES, "tests/test_cases.py": FROM_FILE}),
    row("changed behaviour: a snapshot", {"tests/page.txt": "one\ntwo\n"}, {"shop.py": PAGE.replace("one\\n", "one\\ntwo\\n")}, files={"shop.py": PAGE, "tests/page.txt": "one\n", "tests/test_page.py": SNAPSHOT}),
    row("changed behaviour: a snapshot, and a new file that does not load", {"tests/page.txt": "one\ntwo\n", "tests/test_more.py": "from calc import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"},
        {**RIGHT, "shop.py": PAGE.replace("one\\n", "one\\ntwo\\n")}, files={"shop.py": PAGE, "tests/page.txt": "one\n", "tests/test_page.py": SNAPSHOT}),
    row("changed behaviour: tests in two files", {"tests/test_calc.py": old("add(1, 2) == 3", "add('1', 2) == 3"), "tests/test_more.py": "from calc import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"}, {"calc.py": ADD_TEXT["calc.py"] + DOUBLE}),
    row("a new test, and another that is only renamed", {"tests/test_calc.py": old("test_divides", "test_divides_evenly") + "\n\ndef test_texts():\n    assert add('1', '2') == 3\n"}, ADD_TEXT),
    row("a new test, and imports that are sorted", {"tests/test_calc.py": "import os\n" + TEST_CALC + "\n\ndef test_texts():\n    assert os.sep and add('1', '2') == 3\n"}, ADD_TEXT),
    row("a new test, and another that is formatted", {"tests/test_calc.py": old("assert div(6, 2) == 3", "assert (\n        div(6, 2) == 3\n    )") + "\n\ndef test_texts():\n    assert add('1', '2') == 3\n"}, ADD_TEXT),
    row("a new test, and a comment at another", {"tests/test_calc.py": old("assert div(6, 2) == 3", "# whole numbers\n    assert div(6, 2) == 3") + "\n\ndef test_texts():\n    assert add('1', '2') == 3\n"}, ADD_TEXT),
    row("a new file in the list of load_tests", {"tests/__init__.py": LISTED.replace("test_calc", "test_calc, test_more"), "tests/test_more.py": IN_LIST}, RIGHT, base=UNITTEST, command=("{python}", "-m", "unittest", "tests"), files={"tests/__init__.py": LISTED}),
    row("a test file is moved, and has a new test", {"tests/test_calc.py": None, "tests/unit/test_calc.py": TEST_CALC + "\n\ndef test_texts():\n    assert add('1', '2') == 3\n"}, ADD_TEXT),
)  # fmt: skip

WITHOUT = TEST_CALC.split("\n\n\ndef test_divides")[0].replace("add, div", "add") + "\n"
REMOVED_RED = {"tests/test_calc.py": WITHOUT + "\n\ndef test_texts():\n    assert add('1', '2') == 3\n"}
REMOVED_GREEN = {"calc.py": "def add(a, b):\n    return int(a) + int(b)\n"}
REMOVED = (
    row("a test that goes with its feature is asked about", REMOVED_RED, REMOVED_GREEN, ASKS),
    row("a test that goes with its feature, allowed", REMOVED_RED, REMOVED_GREEN, config='[proof]\nremoved_tests = "allow"\n'),
    row("a test that goes with its feature, refused", REMOVED_RED, REMOVED_GREEN, REFUSED, config='[proof]\nremoved_tests = "refuse"\n', phase="RED"),
    row("a test file that goes with its feature, allowed", {"tests/test_old.py": None, "tests/test_more.py": "from calc import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"}, {**RIGHT, "old.py": None}, files={"old.py": "def old():\n    return 1\n", "tests/test_old.py": "from old import old\n\n\ndef test_old():\n    assert old() == 1\n"}, config='[proof]\nremoved_tests = "allow"\n'),
)  # fmt: skip

SOME_ROWS = "import pytest\n\nfrom calc import add\n\n\n@pytest.mark.parametrize(('a', 'b', 'c'), [(1, 2, 3), (0, 0, 0), ('1', '2', 3)])\ndef test_adds_texts(a, b, c):\n    assert add(a, b) == c\n"
SUBS = SUBTEST.replace("CalcTest", "TextTest").replace("(0, 0, 0)", "('1', '2', 3)")
TABLES = (
    row("a new table, some rows of which pass", {"tests/test_more.py": SOME_ROWS}, ADD_TEXT),
    row("a new table with ids and marks", {"tests/test_more.py": SOME_ROWS.replace("('1', '2', 3)", "pytest.param('1', '2', 3, id='as text')")}, ADD_TEXT),
    row("new subTests, some of which pass (pytest)", {"tests/test_more.py": SUBS}, ADD_TEXT),
    row("new subTests, some of which pass (unittest)", {"tests/test_more.py": SUBS}, ADD_TEXT, base=UNITTEST),
    row("the subtests fixture of pytest 9", {"tests/test_more.py": "from calc import add\n\n\ndef test_texts(subtests):\n    for a, b, c in [(1, 2, 3), ('1', '2', 3)]:\n        with subtests.test(a=a):\n            assert add(a, b) == c\n"}, ADD_TEXT),
    row("a test that passes beside one that fails", {"tests/test_more.py": "from calc import add, double\n\n\ndef test_adds_zero():\n    assert add(0, 0) == 0\n"}, RIGHT, REFUSED, phase="RED"),
    row("a passing test beside a failing one is named", {"tests/test_more.py": HEAD + "def test_zero():\n    assert add(0, 0) == 0\n\n\ndef test_texts():\n    assert add('1', '2') == 3\n"}, ADD_TEXT, REFUSED, phase="RED", verdicts=("unexpected_pass",), says="test_zero"),
)  # fmt: skip

README = "# calc\n\n```python\n>>> from calc import add\n>>> add(1, 2)\n3\n\n```\n"
DOCTEST = 'def add(a, b):\n    """The sum.\n\n    >>> add(1, 2)\n    3\n    """\n    return a + b\n'
MORE_DOCTEST = DOCTEST.replace("    3\n", "    3\n    >>> add('1', '2')\n    3\n")
DOC_GREEN = MORE_DOCTEST.replace("return a + b", "return int(a) + int(b)")
NEW_UNIT = "import unittest\n\nfrom calc import double\n\n\nclass DoubleTest(unittest.TestCase):\n    def test_doubles(self):\n        self.assertEqual(double(2), 4)\n"
MAIN = CASE_CALC + '\n\nif __name__ == "__main__":\n    unittest.main()\n'
KNOWN = "from calc import add\n\n\ndef test_known():\n    assert add(1, 1) == 3\n"
NEW = {"tests/test_more.py": "from calc import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"}
ASYNC = "import asyncio\n\nfrom calc import double\n\n\ndef test_doubles():\n    assert asyncio.run(double(2)) == 4\n"
LAYOUTS = (
    row("a runner that stops at the first failure, which is a new test", {"tests/test_about.py": "from calc import add\n\n\ndef test_texts():\n    assert add('1', '2') == 3\n"}, ADD_TEXT, files={"pytest.ini": "[pytest]\naddopts = -x\npythonpath = .\n"}),
    row("a runner that stops at the first failure, and an old test that is broken", {"tests/test_about.py": "from calc import add\n\n\ndef test_texts():\n    assert add('1', '2') == 3\n", "tests/conftest.py": "import calc\n\ncalc.div = None\n"}, ADD_TEXT, REFUSED, files={"pytest.ini": "[pytest]\naddopts = -x\npythonpath = .\n"}),
    row("an import of a module that is to be", {"tests/test_calc.py": TEST_CALC.replace("from calc import add, div", "from calc import add\nfrom calc_div import div")}, {"calc.py": CALC.partition("\n\ndef div")[0] + "\n", "calc_div.py": "def div" + CALC.partition("\n\ndef div")[2]}),
    row("an import of a module that is to be, GREEN breaks its test", {"tests/test_calc.py": TEST_CALC.replace("from calc import add, div", "from calc import add\nfrom calc_div import div")}, {"calc_div.py": "def div(a, b):\n    return b / a\n"}, REFUSED, phase="GREEN"),
    row("a marker that --strict-markers wants to know", {"tests/test_about.py": "import pytest\n\nfrom calc import add\n\n\n@pytest.mark.text\ndef test_texts():\n    assert add('1', '2') == 3\n", "pytest.ini": "[pytest]\naddopts = --strict-markers\npythonpath = .\nmarkers =\n    text: numbers as text\n"}, ADD_TEXT, files={"pytest.ini": "[pytest]\naddopts = --strict-markers\npythonpath = .\n"}),
    row("a test file by a pattern of pytest's own settings", {"checks/check_texts.py": "from calc import add\n\n\ndef it_adds_texts():\n    assert add('1', '2') == 3\n"}, ADD_TEXT, files={"pytest.ini": "[pytest]\npythonpath = .\npython_files = check_*.py test_*.py\npython_functions = test_* it_*\n"}),
    row("the command names its test file", {"tests/test_calc.py": TEST_CALC + "\n\ndef test_texts():\n    assert add('1', '2') == 3\n"}, ADD_TEXT, command=("{python}", "-m", "pytest", "-q", "tests/test_calc.py")),
    row("the command names its test file (unittest)", {"test_calc.py": MAIN.replace("div(6, 2), 3", "div(7, 2), 3")}, {"calc.py": CALC.replace("a / b", "a // b")}, files={"test_calc.py": MAIN}, command=("{python}", "test_calc.py")),
    row("doctests", {"calc.py": MORE_DOCTEST}, {"calc.py": DOC_GREEN}, files={"calc.py": DOCTEST, "tests/test_calc.py": "def test_nothing():\n    assert True\n"}, command=("{python}", "-m", "pytest", "-q", "--doctest-modules")),
    row("doctests of a document", {"README.md": README.replace("3\n", "3\n>>> add('1', '2')\n3\n")}, {**ADD_TEXT, "README.md": README.replace("3\n", "3\n>>> add('1', '2')\n3\n") + "\nNumbers as text are fine.\n"},
        files={"README.md": README}, command=("{python}", "-m", "pytest", "-q", "--doctest-glob=*.md")),
    row("unittest: a missing name at the top of a new file", {"tests/test_more.py": NEW_UNIT}, RIGHT, base=UNITTEST),
    row("unittest: discover without -s", {"test_more.py": NEW_UNIT}, RIGHT, base=UNITTEST, files={"test_calc.py": CASE_CALC}, command=("{python}", "-m", "unittest")),
    row("a suite with a known failure", NEW, RIGHT, files={"tests/test_known.py": KNOWN}, test='known_failing = ["tests/test_known.py::test_known"]\n', fails_clean=True),
    row("an expected failure", NEW, RIGHT, files={"tests/test_known.py": KNOWN.replace("def test_known", "@pytest.mark.xfail\ndef test_known").replace("from calc", "import pytest\n\nfrom calc")}),
    row("a skipped test", NEW, RIGHT, files={"tests/test_known.py": KNOWN.replace("def test_known", "@pytest.mark.skip\ndef test_known").replace("from calc", "import pytest\n\nfrom calc")}),
    row("a new module at the top", {"tests/test_more.py": "from shop import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"}, {"shop.py": DOUBLE.lstrip()}),
    row("a new package at the top", {"tests/test_more.py": "from shop.prices import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"}, {"shop/__init__.py": "", "shop/prices.py": DOUBLE.lstrip()}),
    row("a new module of a package", {"tests/test_more.py": "from shop.prices import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"}, {"shop/prices.py": DOUBLE.lstrip()}, files={"shop/__init__.py": ""}),
    row("a new method", {"tests/test_more.py": "from shop import Shop\n\n\ndef test_sells():\n    assert Shop().sell('tea') == 'tea'\n"}, {"shop.py": "class Shop:\n    def sell(self, name):\n        return name\n"}, files={"shop.py": "class Shop:\n    pass\n"}),
    row("a new attribute", {"tests/test_more.py": "import calc\n\n\ndef test_version():\n    assert calc.VERSION == '1.0'\n"}, {"calc.py": "VERSION = '1.0'\n" + CALC}),
    row("a constant that changes", {"tests/test_more.py": "import calc\n\n\ndef test_limit():\n    assert calc.LIMIT == 20\n"}, {"calc.py": "LIMIT = 20\n" + CALC}, files={"calc.py": "LIMIT = 10\n" + CALC}),
    row("a coroutine", {"tests/test_more.py": ASYNC}, {"calc.py": CALC + "\n\nasync def double(n):\n    return n * 2\n"}),
    row("a generator", {"tests/test_more.py": "from calc import evens\n\n\ndef test_evens():\n    assert list(evens(5)) == [0, 2, 4]\n"}, {"calc.py": CALC + "\n\ndef evens(n):\n    for number in range(n):\n        if number % 2 == 0:\n            yield number\n"}),
    row("a property of a dataclass", {"tests/test_more.py": "from shop import Item\n\n\ndef test_total():\n    assert Item(2, 3).total == 6\n"}, {"shop.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass Item:\n    price: int\n    count: int\n\n    @property\n    def total(self):\n        return self.price * self.count\n"}, files={"shop.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass Item:\n    price: int\n    count: int\n"}),
    row("membership", {"tests/test_more.py": "from calc import names\n\n\ndef test_names():\n    assert 'ada' in names()\n"}, {"calc.py": CALC + "\n\ndef names():\n    return ['ada', 'bob']\n"}),
    row("a truth value", {"tests/test_more.py": "from calc import even\n\n\ndef test_even():\n    assert even(2)\n    assert not even(3)\n"}, {"calc.py": CALC + "\n\ndef even(n):\n    return n % 2 == 0\n"}),
    row("approx", {"tests/test_more.py": "import pytest\n\nfrom calc import third\n\n\ndef test_third():\n    assert third(1) == pytest.approx(0.3333, abs=0.001)\n"}, {"calc.py": CALC + "\n\ndef third(n):\n    return n / 3\n"}),
    row("capsys", {"tests/test_more.py": "from calc import show\n\n\ndef test_show(capsys):\n    show(2)\n    assert capsys.readouterr().out == '2\\n'\n"}, {"calc.py": CALC + "\n\ndef show(n):\n    print(n)\n"}),
    row("a collaborator that is mocked", {"tests/test_more.py": "from unittest.mock import Mock\n\nfrom calc import keep\n\n\ndef test_keeps():\n    store = Mock()\n    keep(store, 2)\n    store.save.assert_called_once_with(4)\n"}, {"calc.py": CALC + "\n\ndef keep(store, n):\n    store.save(n * 2)\n"}),
    row("a module function that is patched", {"tests/test_more.py": "from unittest.mock import patch\n\nimport calc\n\n\ndef test_uses_add():\n    with patch('calc.add', return_value=9) as add:\n        assert calc.total([1, 2]) == 9\n    add.assert_called()\n"}, {"calc.py": CALC + "\n\ndef total(numbers):\n    a, b = numbers\n    return add(a, b)\n"}),
    row("a command line", {"tests/test_more.py": "import subprocess\nimport sys\n\n\ndef test_command_line():\n    done = subprocess.run([sys.executable, '-m', 'calc', '1', '2'], capture_output=True, text=True)\n    assert done.stdout == '3\\n'\n"}, {"calc.py": "import sys\n" + CALC + "\n\nif __name__ == '__main__':\n    print(add(*map(int, sys.argv[1:])))\n"}),
    row("a data file that the code reads", {"tests/test_more.py": "from calc import factor\n\n\ndef test_factor():\n    assert factor('double') == 2\n"}, {"factors.json": '{"double": 2}\n', "calc.py": "import json\nimport pathlib\n" + CALC + "\n\ndef factor(name):\n    return json.loads((pathlib.Path(__file__).parent / 'factors.json').read_text())[name]\n"}),
    row("two new tests in a class", {"tests/test_more.py": "from calc import double\n\n\nclass TestDouble:\n    def setup_method(self):\n        self.two = 2\n\n    def test_two(self):\n        assert double(self.two) == 4\n\n    def test_three(self):\n        assert double(3) == 6\n"}, RIGHT),
    row("a helper that asserts", {"tests/test_more.py": "from calc import double\n\n\ndef check(given, wanted):\n    assert double(given) == wanted\n\n\ndef test_doubles():\n    check(2, 4)\n    check(3, 6)\n"}, RIGHT),
    row("IsolatedAsyncioTestCase", {"tests/test_more.py": "import unittest\n\nfrom calc import double\n\n\nclass DoubleTest(unittest.IsolatedAsyncioTestCase):\n    async def test_doubles(self):\n        self.assertEqual(await double(2), 4)\n"}, {"calc.py": CALC + "\n\nasync def double(n):\n    return n * 2\n"}, base=UNITTEST),
    row("a protocol: match and unpack", {"tests/test_more.py": "from calc import split\n\n\ndef test_split():\n    head, *rest = split('a,b,c')\n    assert (head, rest) == ('a', ['b', 'c'])\n"}, {"calc.py": CALC + "\n\ndef split(text):\n    return text.split(',')\n"}),
    row("REFACTOR renames a private function and deletes dead code", NEW, {"calc.py": CALC + "\n\ndef _twice(n):\n    return n * 2\n\n\ndef double(n):\n    return _twice(n)\n"}, refactor=RIGHT),
)  # fmt: skip

WRONG_FIRST = {
    "tests/test_more.py": "from calc import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n    assert double(2) == 5\n"
}
THIRD = "import {name}\n\nfrom calc import double\n\n\ndef test_doubles():\n    assert {name}\n    assert double(2) == 4\n"


def absent(name: str) -> Row:
    red = {"tests/test_more.py": THIRD.replace("{name}", name)}
    return row(f"a module that is not installed: {name}", red, RIGHT, REFUSED, threat="S3", phase="RED",
               verdicts=("invalid_test",))  # fmt: skip


ATTEMPTS = (
    row("a test that does not parse", {"tests/test_more.py": "from calc import double\n\n\ndef test_doubles()\n    assert double(2) == 4\n"}, RIGHT, REFUSED, threat="S3", phase="RED", verdicts=("invalid_test",), says="tests/test_more.py:4"),
    absent("moto"), absent("time_machine"), absent("fakeredis"),
    row("a test that contradicts itself goes back to RED once", (WRONG_FIRST, NEW), RIGHT, threat="S4", retries=1),
    row("a helper that is missing", {"tests/test_more.py": "from helpers import check\n\nfrom calc import double\n\n\ndef test_doubles():\n    check(double(2), 4)\n"}, RIGHT, REFUSED, threat="S3", phase="RED", verdicts=("invalid_test",)),
    row("a fixture that is missing", {"tests/test_more.py": "from calc import double\n\n\ndef test_doubles(two):\n    assert double(two) == 4\n"}, RIGHT, REFUSED, threat="S3", phase="RED", verdicts=("invalid_test",)),
    row("an exception of the test's own", {"tests/test_more.py": "from calc import add\n\n\ndef test_sums():\n    wanted = {}['sum']\n    assert add(2, 2) == wanted\n"}, RIGHT, REFUSED, threat="S3", phase="RED", verdicts=("invalid_test",)),
    row("a typo in the test", {"tests/test_more.py": "from calc import add\n\n\ndef test_sums():\n    wantd = 4\n    assert add(2, 2) == wanted\n"}, RIGHT, REFUSED, threat="S3", phase="RED", verdicts=("invalid_test",)),
    row("a syntax error", {"tests/test_more.py": "from calc import double\n\n\ndef test_doubles()\n    assert double(2) == 4\n"}, RIGHT, REFUSED, threat="S3", phase="RED", verdicts=("invalid_test",)),
)  # fmt: skip

ROWS = (*CRASHES, *UNLOADED, *CHANGED, *REMOVED, *TABLES, *LAYOUTS, *ATTEMPTS)
