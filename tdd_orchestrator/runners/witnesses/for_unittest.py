"""What really happened in a run of unittest, of Django's test runner or of nose2, one JSON object a line, to a file of the
orchestrator's.

Copied under a random name into a private folder and imported at its door by a ``sitecustomize`` there, so before anything of
the project's; it needs nothing but Python 3.6. What a test raised is seen in unittest's own executor, before any result object
is told of it; the end is told by Python's own end, so a process that is ended otherwise never tells it.
"""

import atexit
import importlib
import os
import re
import sys
import threading
import time
import unittest
import unittest.case
import unittest.suite
from typing import Any

_shared = importlib.import_module(__name__ + "_shared")
_stack = importlib.import_module(__name__ + "_stack")
_door = importlib.import_module(__name__ + "_door")
_shared.settle(globals())
_RUNNER = (
    "unittest.case", "unittest.result", "unittest.runner", "unittest.suite", "unittest.loader", "unittest.main",
    "unittest.async_case", "contextlib", __name__, __name__ + "_shared", __name__ + "_shared_tools", __name__ + "_stack", *_shared.ENCODER,
)  # fmt: skip
_executor, _run = (
    unittest.case._Outcome.testPartExecutor,  # type: ignore[attr-defined]
    unittest.TestCase.run,
)
_PARTS = ("setup", "call", "teardown")
_DECIDING = ("run", "__call__", "_callTestMethod", "_callSetUp", "_callTearDown")
_PLAIN = ("unittest.loader.TestLoader.sortTestMethodsUsing",)  # a function that projects may set
_SIGNS = ("exec", "open", "os.scandir")  # what Python tells of a run of pytest, whatever is in it
_getpid, _frame = os.getpid, sys._getframe
__unittest = True  # unittest leaves such frames out of what it prints


class _Ledger(_shared.Watch):  # type: ignore[name-defined,misc]
    """One run: the tests as they were loaded, and the one that runs now."""

    def __init__(self, voice: Any) -> None:
        self.voice = voice
        self.met: Any = set()  # modules that say what runs here, of those that were imported
        self.root = os.getcwd()
        self.first = voice.pid  # the runner's own process
        self.now: Any = None  # the test that runs
        self.part = -1  # how many of its parts began, less one
        self.raised: Any = []  # (part, exception) of the test that runs
        self.depth = 0
        self.failed = 0
        self.started = False
        self.script = voice.orders and re.match(voice.orders["may_run"], _door.words())
        self.apart = False  # tests run in processes that no witness goes along to
        self.handed = False  # pytest was handed the tests
        self.tests: Any = {}  # id -> (class, name of the method, its function, its code)
        self.ways: Any = {}  # class that runs its tests itself -> (its function, its code)
        self.judged: Any = set()  # (code, file of its test)
        super().__init__(_RUNNER, _PLAIN)
        if hasattr(sys, "addaudithook"):
            sys.addaudithook(self._audited)

    def _audited(self, event: Any, given: Any) -> None:
        if event == "import":
            if given[0] in _stack.MARKS:
                self.met.add(given[0])
        elif event == "os.exec" and not self.started:
            self.voice.hand_on()
        elif event in _SIGNS and not (self.started or self.handed) and "_pytest.main" in sys.modules:
            self.handed = _stack.handed_over(_frame(1))

    def begin(self, suite: Any, worker: Any) -> None:
        if _getpid() != self.voice.pid:
            self.voice.again()
            self.patched.clear()
            self.depth = 0
            self.voice.say("loaded", python=sys.version.split()[0])
        elif not self.started and not worker:
            self.started = True
            self.voice.say("start", root=self.root, xdist=False)
        self.depth += 1
        anew = "" if worker else _stack.leaves(suite)
        if anew:
            self.apart = True
            self.note(_stack.chosen(anew))
        self.loaded(suite)

    def end(self, worker: Any) -> None:
        self.depth -= 1
        self.look_again()
        self.note(self.swapped())
        if worker:
            self.tell()

    def tell(self) -> None:
        if self.patched:
            self.voice.say("patched", names=sorted(self.patched)[:20])

    def loaded(self, suite: Any) -> None:
        if isinstance(suite, unittest.TestCase):
            name = suite._testMethodName
            self.tests.setdefault(suite.id(), (type(suite), name, *_code(type(suite), name)))
            if type(suite).run is not _test_watched:
                self.ways.setdefault(type(suite), _code(type(suite), "run"))
        elif getattr(type(suite), "__iter__", None) is unittest.BaseTestSuite.__iter__ or hasattr(
            suite, "subsuites"
        ):
            for test in suite:  # any other makes its tests as they are asked for, perhaps only once
                self.loaded(test)

    def judge(self, test: Any) -> None:
        """A test is its own file's code, and what calls it is the runner's, or of tests."""
        own = getattr(sys.modules.get(type(test).__module__), "__file__", None) or ""
        for name in (test._testMethodName, "_testFunc", *_DECIDING) if own else ():
            function = getattr(test, name, None)
            code = getattr(getattr(function, "__func__", function), "__code__", None)
            if code is not None and code.co_filename != __file__ and (code, own) not in self.judged:
                self.judged.add((code, own))
                self.note(_shared.borrowed(function, own, self.root))

    def unseen(self) -> Any:
        """Tests that their class runs itself, by functions of tests' or of what is installed: nobody saw them run."""
        return [
            identity.split("\n", 1)[0]
            for identity, (kind, name, function, code) in self.tests.items()
            if kind in self.ways
            and _code(kind, name) == (function, code)
            and _code(kind, "run") == self.ways[kind]
            and _stack.at_home(kind)
            and all(_plain(kind, one, self.root) for one in (name, *_DECIDING))
        ]

    def swapped(self) -> Any:
        return [
            identity
            for identity, (kind, name, function, code) in self.tests.items()
            if _code(kind, name) != (function, code)
        ]

    def say(self, test: Any, begun: Any) -> None:
        method = getattr(test, test._testMethodName, None)
        skipped = any(getattr(one, "__unittest_skip__", False) for one in (type(test), method))
        expected = any(getattr(one, "__unittest_expecting_failure__", False) for one in (test, method))
        bad = [one for one in self.raised if not isinstance(one[1], unittest.SkipTest)]
        name = str(test)
        if "\n" in name:  # nose2's, with its parameters
            name = str(test.id()).split("\n", 1)[0]
        facts: Any = {"id": name, "when": "call", "outcome": "passed", "sec": time.monotonic() - begun}
        self.judge(test)
        self.note(self.asserts_of(test))
        if expected and self.part >= 1 and not any(part != "call" for part, _ in bad):
            facts["xfail"], facts["outcome"] = True, "skipped" if bad else "passed"
        elif bad:
            facts["when"], facts["outcome"] = bad[0][0], "failed"
            facts.update(_shared.facts_of(bad[0][1], bad[0][1].__traceback__))
            self.failed += 1
        elif self.raised or skipped:
            facts["outcome"] = "skipped"
        elif self.part < 1 and type(test).run is _test_watched:
            self.note([test.id() + ", which was not called"])
        self.voice.say("phase", **facts)


def _code(kind: Any, name: Any) -> Any:
    function = getattr(kind, name, None)
    return function, getattr(function, "__code__", None)


def _plain(kind: Any, name: Any, root: Any) -> Any:
    function = getattr(kind, name, None)
    own = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    known = _code(kind, name)[1] is not None and not _shared.borrowed(function, own, root)
    return known or (function is None and name in _DECIDING)


_ledger = _Ledger(_shared.Voice())


class _Part:
    """A part of a test (setup, call, teardown) as unittest runs it; its traceback has no frame of ours."""

    def __init__(self, kept: Any, test: Any, part: Any) -> None:
        self.kept, self.test, self.part = kept, test, part

    def __enter__(self) -> Any:
        return self.kept.__enter__()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        stops = isinstance(error, unittest.case._ShouldStop)  # type: ignore[attr-defined]
        if error is not None and self.test is _ledger.now and not stops:
            _ledger.raised.append((self.part, error))
        return self.kept.__exit__(kind, error, traceback)


def _executor_watched(self: Any, test_case: Any, *given: Any, **named: Any) -> Any:
    test = getattr(test_case, "test_case", test_case)  # of a sub-test, its test
    if test is _ledger.now and test_case is test:
        _ledger.part += 1
    part = _PARTS[min(_ledger.part, 2)]
    return _Part(_executor(self, test_case, *given, **named), test, part)


def _run_watched(self: Any, result: Any = None) -> Any:
    if _ledger.now is not None or not _ledger.depth:
        return _run(self, result)  # a test that runs tests of its own, or no run of the runner's
    _ledger.now, _ledger.part, _ledger.raised = self, -1, []
    _ledger.judge(self)
    begun = time.monotonic()
    try:
        return _run(self, result)
    finally:
        _ledger.say(self, begun)
        _ledger.now, _ledger.raised = None, []


def _watched(kept: Any) -> Any:
    def watched(self: Any, *given: Any, **named: Any) -> Any:
        pid = _getpid()
        inside = _ledger.depth and pid == _ledger.voice.pid
        where = "" if inside else _stack.place(_frame(1), pid != _ledger.first, _ledger.script)
        if not where:
            return kept(self, *given, **named)
        worker = where == "worker"
        _ledger.begin(self, worker)
        try:
            return kept(self, *given, **named)
        finally:
            _ledger.end(worker)

    return watched


_test_watched = _watched(_run_watched)


def _over() -> None:
    """Python calls it when all is done, from nowhere; what calls it earlier is somewhere."""
    early = _frame().f_back is not None or threading.current_thread() is not threading.main_thread()
    if early or _getpid() != _ledger.voice.pid:
        return
    _ledger.tell()
    _ledger.voice.say("unseen", ids=_ledger.unseen())
    away = _ledger.script or _ledger.handed or _stack.elsewhere(_ledger.met)
    if _ledger.apart or (not _ledger.started and away):
        _ledger.voice.say("apart")
    status = 1 if _ledger.failed else 0
    _ledger.voice.say("finish", status=status, failed=_ledger.failed, collected=len(_ledger.tests))


if _ledger.voice.orders is not None:
    _ledger.voice.say("loaded", python=sys.version.split()[0])
    unittest.case._Outcome.testPartExecutor = _executor_watched  # type: ignore[attr-defined]
    unittest.TestCase.run = _test_watched  # type: ignore[method-assign]
    for _kind, _name in ((unittest.BaseTestSuite, "__call__"), (unittest.TestSuite, "run")):
        setattr(_kind, _name, _watched(getattr(_kind, _name)))
    atexit.register(_over)
    _ledger.look()
