"""Which lines are read for what reaches out: no comment, nothing moved, all of a long one; and what a witness makes of it."""

from __future__ import annotations

import time

import pytest

from tdd_orchestrator.workspace.reaches import reached, told

FOR_PEOPLE = [
    ("a.py", '"""Doubles.\n\nfrom pytest import approx\n"""\n'),
    ("a.py", "x = 1  # old: import unittest\n"),
    ("a.py", "def f():\n    'PYTEST_CURRENT_TEST is set'\n    return 1\n"),
    ("a.py", "x = '''\n# y'''\n# os._exit(0)\n"),
    ("bin/a", "#!/usr/bin/env python3\n# os._exit(0)\n"),
    ("a.js", "// in tests: jest.mock('./mail')\n"),
    ("a.js", "send(1); // jest.mock('./mail')\n"),
    ("a.ts", "/**\n * As jest.mock('./mail') does.\n */\nexport const a = `b`;\n"),
    ("a.rb", "# see Minitest::Test for how it is tested\n"),
    ("a.php", "<?php\n// it is what PHPUnit_Framework was\n"),
    ("a.sh", "# BATS_TMPDIR is set by bats\n"),
]
CODE = [
    ("a.py", "x = f'''{\n__import__('pytest')}'''\n"),
    ("a.py", "f'''{\n__import__('pytest')}'''\n"),
    ("a.py", "getattr(sys, 'settrace')\n"),
    ("a.py", "os.environ['PYTEST_CURRENT_TEST']\n"),
    ("a.py", "x = '#'; import pytest\n"),
    ("a.py", "x = (\n# import pytest\n"),
    ("a.py", "# coding: utf-7\n# +AAo-import pytest\n"),
    ("a.js", "const a = '//'; process.reallyExit(0);\n"),
    ("a.js", "const a = `\n// ${process.reallyExit(0)}\n`;\n"),
    ("a.js", "const a = `\n// `; process.reallyExit(0);\n"),
    ("a.js", "const a = '\\\n/* '; process.reallyExit(0);\n/* */\n"),
    ("a.js", "const a = /[/*]/; process.reallyExit(0); /* */\n"),
    ("a.js", "/* a */ process.reallyExit(0);\n"),
    ("a.jsx", "const a = <p>\n// {process.reallyExit(0)}\n</p>;\n"),
    ("a.js", "// a\u2028process.reallyExit(0);\n"),
    ("a.php", "<?php $a = '\n// '; new PHPUnit_Thing;\n"),
    ("a.php", "<?php // ?> <?php new PHPUnit_Thing;\n"),
    ("a.rb", "a = '\n# '; Minitest.run\n"),
    ("a.rb", "a = %q:\n# :; Minitest.run\n"),
    ("a.rb", "a = %q.\n# . and Minitest.run\n"),
    ("a.sh", "a='\n# '; bats_run\n"),
]
LOOKS = [
    "os._exit(0)",
    "frame = sys._getframe(1)",
    "return frame.f_back.f_code.co_name",
    "def render(text, f_globals=None):",
    "made.__module__ = sys._getframe(1).f_globals.get('__name__', '__main__')",
    "for name in list(sys.modules):",
    "for one in gc.get_objects():",
    "atexit.register(lambda: logging.info('exiting'))",
    "import unittest",
    "from unittest import mock",
    "NAMES = ['settrace', 'other']",
]


@pytest.mark.parametrize(("path", "text"), FOR_PEOPLE)
def test_what_only_people_read_reaches_nothing(path: str, text: str) -> None:
    assert reached(path, (), text) == ""


@pytest.mark.parametrize(("path", "text"), CODE)
def test_what_only_looks_like_a_comment_is_code(path: str, text: str) -> None:
    assert reached(path, (), text)


@pytest.mark.parametrize("line", LOOKS)
def test_what_only_looks_like_it_is_told_where_a_witness_sees_it(line: str) -> None:
    assert reached("a.py", (), line) == line
    assert reached("a.py", (), line, witnessed=True) == ""
    assert told("a.py", (), "\n" + line)[0].startswith("a.py:2: ")
    assert told("a.py", [("b.py", line)], line) == []


@pytest.mark.parametrize(
    "line",
    [
        "import pytest",
        "sys._getframe(1).f_globals['test_doubles'].__test__ = False",
        "item = inspect.stack()[1].frame.f_locals['self']",
        "getattr(sys, 'set' + 'trace')(t)",
        "r = sys.modules.get('_py' 'test.runner')",
    ],
)
def test_a_trick_stays_one_where_a_witness_is(line: str) -> None:
    assert reached("a.py", (), line, witnessed=True) == line


@pytest.mark.parametrize(
    "text",
    [
        "import gc, unittest\nfor one in gc.get_objects():\n    isinstance(one, unittest.TestCase)\n",
        "for one in gc.get_objects():\n    if type(one).__name__ == 'DoubleTest':\n        one.x = 1\n",
        "for name in list(sys.modules):\n    if name.startswith('test_'):\n        pass\n",
        "one.addTypeEqualityFunc(int, lambda *a, **k: None)\n",
        "one._outcome.expecting_failure = True\n",
        "case.assertEqual = lambda *a: None\n",
    ],
)
def test_what_finds_a_test_is_a_trick(text: str) -> None:
    assert reached("a.py", (), text, witnessed=True)


def test_two_cycles_find_no_test_either() -> None:
    first, second = "import unittest\n", "for one in gc.get_objects():\n    pass\n"
    assert reached("a.py", [("a.py", first)], first + second, witnessed=True) == second.split("\n")[0]
    assert reached("a.py", [("a.py", second)], first + second, witnessed=True) == first.strip()


@pytest.mark.parametrize(
    "text", ["self.addTypeEqualityFunc(Money, self.assertMoneyEqual)\n", "raise self.failureException(why)\n"]
)
def test_a_testing_module_for_users_may_do_so(text: str) -> None:
    assert reached("testing.py", (), "import unittest\n" + text, witnessed=True) == ""


@pytest.mark.parametrize(
    "line", ["import pytest", "def pytest_runtest_setup(item):", "config.pluginmanager.register(P)"]
)
def test_a_plugin_of_the_runners_may_name_it(line: str) -> None:
    assert reached("a.py", (), line, witnessed=True, plugin=True) == ""
    assert reached("a.py", (), line, plugin=True) == line
    assert len(told("a.py", (), line, plugin=True)) == 1


def test_a_line_that_is_moved_or_indented_is_not_new() -> None:
    before = [("logs.py", "def end():\n    os._exit(0)\n")]
    assert reached("ends.py", before, "def end():\n    if done:\n        os._exit(0)\n") == ""
    assert reached("ends.py", [("notes.md", "os._exit(0)\n")], "os._exit(0)\n")
    assert reached("ends.py", [("a.py", '"""\nos._exit(0)\n"""\n')], "os._exit(0)\n")


@pytest.mark.parametrize("size", [1900, 1995, 2000, 3001, 100_000])
def test_a_long_line_is_read_to_its_end(size: int) -> None:
    assert reached("a.js", (), "x".ljust(size) + ";process.reallyExit(0)\n")


def test_comments_that_do_not_end_are_looked_through_once() -> None:
    begun = time.perf_counter()
    assert reached("a.js", (), "/*\n" * 20_000 + "process.reallyExit(0);\n")
    assert reached("a.js", (), "/*\n" * 20_000 + "`; process.reallyExit(0);\n")
    assert time.perf_counter() - begun < 5
