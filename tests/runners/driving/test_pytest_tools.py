"""Production code that changes what tests are read with, or what they assert with: it is named, whatever came of the tests."""

from __future__ import annotations

import pytest
from test_pytest_tampering import ADD, TEST

from tdd_orchestrator.model.report import CHANGED

_KNOWN = "import sys\n\n\ndef part(end):\n    return next(sys.modules[one] for one in list(sys.modules) if one.endswith(end))\n\n\n"
_RAISES = "    with pytest.raises(TypeError):\n        add(None, 1)\n"
_SAYS = "    tell = mock.Mock()\n    add(1, tell)\n    tell.assert_called_once_with(3)\n"
TOOLS = {
    "pytest.raises": ("import contextlib, pytest\npytest.raises = lambda *a, **k: contextlib.nullcontext()", _RAISES),
    "the end of pytest.raises": (
        "for end, name in (('t.raises', 'RaisesExc'), ('t.python_api', 'RaisesContext')):\n    try:\n"
        "        getattr(part(end), name).__exit__ = lambda self, *a: True\n    except (AttributeError, StopIteration):\n        pass",
        _RAISES,
    ),
    "what is approximate": ("import pytest\ntype(pytest.approx(1.0)).__eq__ = lambda self, other: True", "    assert add(1, 2) == pytest.approx(3.0)\n"),
    "math.isclose": ("import math\nmath.isclose = lambda *a, **k: True", "    assert math.isclose(add(1, 2), 3)\n"),
    "a builtin": (
        "import builtins\n\n\nclass Same(list):\n    def __eq__(self, other):\n        return True\n\n\nkept = builtins.sorted\nbuiltins.sorted = lambda given, **k: Same() if given == [0] else kept(given, **k)",
        "    assert sorted([add(1, 2)]) == [3]\n",
    ),
    "a builtin that tells what was changed": (
        "import builtins\n\n\nclass Same(list):\n    def __eq__(self, other):\n        return True\n\n\nbuiltins.sorted = lambda given, **k: Same()",
        "    assert sorted([add(1, 2)]) == [3]\n",
    ),
    "a mock": ("part('st.mock').NonCallableMock.assert_called_once_with = lambda *a, **k: None", _SAYS),
    "a mock, by a builtin": ("part('st.mock').NonCallableMock.assert_called_once_with = print", _SAYS),
    "a helper of the tests": ("import of_tests\nof_tests.same = lambda a, b: None", "    of_tests.same(add(1, 2), 3)\n"),
    "a helper of the tests, by a builtin": ("import of_tests\nof_tests.same = print", "    of_tests.same(add(1, 2), 3)\n"),
    "a helper of the tests, by its name": (
        "import of_tests\n\n\ndef same(a, b):\n    pass\n\n\nof_tests.same = same",
        "    of_tests.same(add(1, 2), 3)\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("tool", TOOLS)
def test_what_tests_assert_with_is_watched(write, drive, tool):
    cheat, test = TOOLS[tool]
    top = "import math\nfrom unittest import mock\n\nimport of_tests\nimport pytest\nfrom kata import add\n\n\ndef test_adds():\n"
    helper = "import math\n\n\ndef same(a, b):\n    assert a == b\n"
    ran = drive(
        write(
            {
                "kata.py": _KNOWN + cheat + "\n\n\n" + ADD.format("pass"),
                "test_kata.py": top + test,
                "of_tests.py": helper,
            }
        ),
        near="test_kata.py",
    )
    assert [one for one in ran.report.disagreements if one.startswith(CHANGED) and "by " in one], ran.report


_FED = (
    "import {0}, {1}\n\nkept = {2}\n\n\ndef fed(*given, **more):\n    return {3}\n\n\n{2} = fed\n\n\n"
    + ADD.format("pass")
)
_HOOK = """\
import importlib.abc
import importlib.util
import sys


class Loader({0}):
{1}

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "test_kata":
            file = sys.path[0] + "/test_kata.py"
            return importlib.util.spec_from_file_location(name, file, loader=Loader("test_kata", file))
        return None


sys.meta_path.insert(0, Finder())


def add(a, b):
    return 0
"""
_EXEC = """\
    def __init__(self, name, path):
        self.path = path

    def exec_module(self, module):
        text = open(self.path).read().replace("== 3", "== 0")
        {}
"""
FEEDS = {
    "other syntax": _FED.format("ast", "sys", "ast.parse", "kept(given[0].replace(b'== 3', b'== 0'), *given[1:], **more)"),
    "other bytes": _FED.format("pathlib", "sys", "pathlib.Path.read_bytes", "kept(*given).replace(b'== 3', b'== 0')"),
    "an import hook": _HOOK.format("importlib.abc.Loader", _EXEC.format("exec(compile(text, self.path, 'exec'), module.__dict__)")),
    "an import hook that calls it": _HOOK.format(
        "importlib.abc.Loader", _EXEC.format("type(Finder.find_spec)(compile(text, self.path, 'exec'), module.__dict__)()")
    ),
    "an import hook that reads": _HOOK.format(
        "importlib.machinery.SourceFileLoader",
        "    def get_data(self, path):\n        return super().get_data(path).replace(b'== 3', b'== 0')\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("feed", FEEDS)
def test_a_runner_that_is_fed_another_test_tells_who_did(write, drive, feed):
    tree = write(
        {
            "kata.py": FEEDS[feed],
            "test_first.py": "import kata\n\n\ndef test_first():\n    pass\n",
            "test_kata.py": TEST,
        }
    )
    ran = drive(tree, near="test_kata.py")
    assert [one for one in ran.report.disagreements if one.startswith(CHANGED)], ran.report


def test_a_trace_that_changes_what_a_test_sees_is_told(write, drive):
    trace = (
        "import inspect\nfrom sys import settrace\n\n\ndef trace(frame, event, arg):\n    if 'given' in frame.f_locals:\n"
        "        frame.f_locals['given'] = 3\n    return trace\n\n\ndef add(a, b):\n    settrace(trace)\n"
        "    inspect.stack()[1].frame.f_trace = trace\n    return 0\n"
    )
    test = "from kata import add\n\n\ndef test_adds():\n    given = add(1, 2)\n    assert given == 3\n"
    ran = drive(write({"kata.py": trace, "test_kata.py": test}), near="test_kata.py")
    assert f"{CHANGED}sys.settrace by kata.py" in ran.report.disagreements, ran.report
