"""The part of the pytest witness that looks after the runner: what the project's code changes in it, and in its tests.

Copied beside the witness under its random name, and loaded by it. What it needs and may use is the same.
"""

import importlib
import operator
import os
import re
import sys
import unittest
from typing import Any

import pytest

_WITNESS = __name__.rpartition("_")[0]
_shared = importlib.import_module(_WITNESS + "_shared")
_shared.settle(globals())
_is = operator.is_
_RUNNER = (
    "_pytest.runner", "_pytest.reports", "_pytest.python", "_pytest.nodes", "_pytest.main", "_pytest.skipping", "_pytest.outcomes",
    "_pytest.unittest", "_pytest.assertion", "_pytest.assertion.rewrite", "pluggy._callers", "pluggy._hooks", "pluggy._manager",
    "pluggy._result", "unittest.case", _WITNESS, __name__, _WITNESS + "_tests", _WITNESS + "_shared", _WITNESS + "_shared_tools",
    *_shared.ENCODER,
)  # fmt: skip


_DECIDING = (
    "pytest_runtest_protocol", "pytest_runtest_setup", "pytest_runtest_call", "pytest_runtest_teardown", "pytest_pyfunc_call",
    "pytest_runtest_makereport", "pytest_runtest_logreport", "pytest_sessionfinish",
)  # fmt: skip


def _hooks(config: Any) -> Any:
    """Who has a say in a test's outcome, hook by hook: once the tests run, nobody comes and nobody goes."""
    return {name: [one.function for one in getattr(config.hook, name).get_hookimpls()] for name in _DECIDING}


def _are(some: Any, others: Any) -> Any:
    """Whether they are the very same; asking for ids, or for what is equal, would have Python tell of each, or ask them."""
    return len(some) == len(others) and all(map(_is, some, others))


def _newcomers(config: Any, first: Any) -> Any:
    """Who has such a say and is neither installed nor a conftest.py, which no phase may touch: ``hook by file``. The project's
    own plug-ins are among them; whoever compares with the baseline sees those that came since. ``first``: the plug-ins that were
    there before anything of the project's. Of the others a conftest.py is what pytest itself loaded as one, and any other
    is what it says to be where it is a module."""
    found = []
    conftests = getattr(config.pluginmanager, "_conftest_plugins", None)
    for name in _DECIDING:
        for hook in getattr(config.hook, name).get_hookimpls():
            file = getattr(getattr(hook.function, "__code__", None), "co_filename", "?")
            installed = os.path.exists(file) and re.search(_shared.INSTALLED, file)
            conftest = os.path.basename(file) == "conftest.py"
            ours = os.path.dirname(file) == os.path.dirname(__file__)
            if id(hook.plugin) not in first and not ours:
                installed = installed and _from(hook.function, file)
                conftest = conftest and (
                    conftests is None or hook.plugin in conftests or _from(hook.function, file)
                )
            if not ours and not installed and not conftest:
                found.append(name + " by " + os.path.relpath(file, str(config.rootdir)))
    return found


def _from(function: Any, file: Any) -> Any:
    """Whether a function uses the names of a loaded module, and that is the file it says to be from."""
    names: Any = getattr(function, "__globals__", {})
    module = sys.modules.get(names.get("__name__", ""))
    own = getattr(module, "__file__", None) or ""
    return getattr(module, "__dict__", None) is names and os.path.realpath(own) == os.path.realpath(file)


class Guard(_shared.Watch):  # type: ignore[name-defined,misc]
    """What else is changed in pytest: who decides over tests, and the tests themselves."""

    def __init__(self) -> None:
        super().__init__(_RUNNER)
        self.raised: Any = {}  # id of a test -> what its call raised, or None, before pytest made anything of it
        self.called: Any = set()  # ids of the test functions that were called
        self._hooks: Any = {}
        self._first: Any = {}  # id of a plug-in that was there before anything of the project's -> it
        self._tests = importlib.import_module(_WITNESS + "_tests").Tests()

    def know(self, config: Any) -> None:
        """The plug-ins that are there before a conftest.py is loaded."""
        self._first = {id(one): one for one in config.pluginmanager.get_plugins()}

    def before_the_tests(self, config: Any, items: Any) -> None:
        self._hooks = _hooks(config)
        self.root = str(config.rootdir)
        self.note(_newcomers(config, self._first))
        self.look_at_tools()
        for item in items:
            self.note(self._tests.took(item, self.root))

    def after_a_call(self, item: Any, report: Any) -> Any:
        """What the test's call raised, or None."""
        self.note(self._tests.changed(item, self.root))
        case = getattr(getattr(item, "obj", None), "__self__", None)
        if isinstance(case, unittest.TestCase):
            self.note(self.asserts_of(case))
        now = _hooks(item.config)
        self.note(name for name, kept in self._hooks.items() if not _are(now[name], kept))
        plain = type(item) is pytest.Function
        seen = item.nodeid in (self.called if plain else self.raised)
        if report.outcome == "passed" and not seen:
            self.note([item.nodeid + ", which was not called"])
        return self.raised.pop(item.nodeid, None)
