"""What really happened in a run of ``python -m unittest``, one JSON object a line, to a file of the orchestrator's.

Copied under a random name into a private folder and imported by a ``sitecustomize`` there, so before anything of the
project's; it needs nothing but Python 3.6. What a test raised is seen in unittest's own executor, before any result object
is told of it.
"""

import contextlib
import importlib
import os
import sys
import time
import unittest
import unittest.case
import unittest.suite
from typing import Any

_shared = importlib.import_module(__name__ + "_shared")
_RUNNER = (
    "unittest.case", "unittest.result", "unittest.runner", "unittest.suite", "unittest.loader", "unittest.main",
    "unittest.async_case", "contextlib", "json.encoder", __name__, __name__ + "_shared",
)  # fmt: skip
_executor, _run, _run_all = (
    unittest.case._Outcome.testPartExecutor,  # type: ignore[attr-defined]
    unittest.TestCase.run,
    unittest.TestProgram.runTests,
)
_PARTS = ("setup", "call", "teardown")
_PLAIN = ("unittest.loader.TestLoader.sortTestMethodsUsing",)  # a function that projects may set
__unittest = True  # unittest leaves such frames out of what it prints


def _begun() -> Any:
    """The private folder leaves the path, and the ``sitecustomize`` that it hid has its turn."""
    voice = _shared.Voice()
    home = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != home]
    mine = sys.modules.pop("sitecustomize")
    try:
        importlib.import_module("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = mine
    voice.say("loaded", python=sys.version.split()[0])
    return voice


class _Ledger(_shared.Watch):  # type: ignore[name-defined,misc]
    """One run: the tests as they were loaded, and the one that runs now."""

    def __init__(self, voice: Any) -> None:
        super().__init__(_RUNNER, _PLAIN)
        self.voice = voice
        self.now: Any = None  # the test that runs
        self.part = -1  # how many of its parts began, less one
        self.raised: Any = []  # (part, exception) of the test that runs
        self.depth = 0
        self.failed = 0
        self.tests: Any = {}  # id -> (class, name of the method, its function, its code)

    def loaded(self, suite: Any) -> None:
        for test in suite:
            if isinstance(test, unittest.TestSuite):
                self.loaded(test)
            elif isinstance(test, unittest.TestCase):
                name = test._testMethodName
                self.tests[test.id()] = (type(test), name, *_code(type(test), name))
                own = getattr(sys.modules.get(type(test).__module__), "__file__", None) or ""
                if own:
                    self.note(_shared.borrowed(self.tests[test.id()][2], own, os.getcwd()))

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
        facts: Any = {"id": str(test), "when": "call", "outcome": "passed", "sec": time.monotonic() - begun}
        if expected and self.part >= 1 and not any(part != "call" for part, _ in bad):
            facts["xfail"], facts["outcome"] = True, "skipped" if bad else "passed"
        elif bad:
            facts["when"], facts["outcome"] = bad[0][0], "failed"
            facts.update(_shared.facts_of(bad[0][1], bad[0][1].__traceback__))
            self.failed += 1
        elif self.raised or skipped:
            facts["outcome"] = "skipped"
        elif self.part < 1 and type(test).run is _run_watched:
            self.note([test.id() + ", which was not called"])
        self.voice.say("phase", **facts)


def _code(kind: Any, name: Any) -> Any:
    function = getattr(kind, name, None)
    return function, getattr(function, "__code__", None)


_ledger = _Ledger(_begun())


@contextlib.contextmanager
def _executor_watched(self: Any, test_case: Any, *given: Any, **named: Any) -> Any:
    test = getattr(test_case, "test_case", test_case)  # of a sub-test, its test
    outermost = test is _ledger.now and test_case is test
    if outermost:
        _ledger.part += 1
    part = _PARTS[min(_ledger.part, 2)]
    with _executor(self, test_case, *given, **named):
        try:
            yield
        except BaseException as error:
            if test is _ledger.now and not isinstance(error, unittest.case._ShouldStop):  # type: ignore[attr-defined]
                _ledger.raised.append((part, error))
            raise


def _run_watched(self: Any, result: Any = None) -> Any:
    if _ledger.now is not None or not _ledger.depth:
        return _run(self, result)  # a test that runs tests of its own, or no run of unittest's program
    _ledger.now, _ledger.part, _ledger.raised = self, -1, []
    begun = time.monotonic()
    try:
        return _run(self, result)
    finally:
        _ledger.say(self, begun)
        _ledger.now, _ledger.raised = None, []


def _run_all_watched(self: Any) -> Any:
    if _ledger.depth:
        return _run_all(self)
    _ledger.depth += 1
    _ledger.loaded(self.test)
    _ledger.voice.say("start", root=os.getcwd(), xdist=False)
    status: Any = 1
    try:
        _run_all(self)
        status = 0 if self.result.wasSuccessful() else 1
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
        raise
    finally:
        _ledger.look_again()
        _ledger.note(_ledger.swapped())
        if _ledger.patched:
            _ledger.voice.say("patched", names=sorted(_ledger.patched)[:20])
        _ledger.voice.say("finish", status=status, failed=_ledger.failed, collected=len(_ledger.tests))


if _ledger.voice.orders is not None:
    unittest.case._Outcome.testPartExecutor = _executor_watched  # type: ignore[attr-defined]
    unittest.TestCase.run = _run_watched  # type: ignore[method-assign]
    unittest.TestProgram.runTests = _run_all_watched  # type: ignore[method-assign]
    _ledger.look()
