"""Whose run it is: a suite that the runner itself runs has the runner beneath it on the stack, and no import.

Copied beside the witness under its random name, and loaded by it. It needs nothing but Python 3.6.
"""

import sys
import threading
from typing import Any

_RUNNERS = (
    ("unittest/main.py", "runTests"),
    ("xmlrunner/runner.py", "runTests"),
    ("nose2/main.py", "runTests"),
    ("django/core/management/commands/test.py", "handle"),
    ("django/test/runner.py", "run_tests"),
)
_COMMAND = (("django/core/management/commands/test.py", "handle"),)
_PLAIN = (("unittest/runner.py", "run"),)  # a runner where the process is a script of the project's own
_SESSION = (("_pytest/main.py", "wrap_session"),)
_WITHIN = (("unittest/case.py", "run"), *_SESSION)  # what a test starts, or pytest, is no run of the runner's
_WORKERS = (("django/test/runner.py", "_run_subsuite"),)
_LOADING = ("unittest/loader.py", "django/apps/registry.py")
_PROCESSES = ("nose2.plugins.mp", "green.process")  # whose every test runs in processes of their own
MARKS = ("django", "nose2", "xmlrunner", *_PROCESSES)


def _is(frame: Any, known: Any) -> Any:
    file = frame.f_code.co_filename.replace("\\", "/")
    return any(file.endswith("/" + end) and frame.f_code.co_name == name for end, name in known)


def place(frame: Any, forked: Any, script: Any) -> Any:
    """Where a suite begins to run: in the "runner", in a "worker" that it forked off, or, empty, somewhere else. ``script``:
    unittest's plain runner is one, too."""
    runners = _RUNNERS + _PLAIN if script else _RUNNERS
    found = worker = False
    if threading.current_thread() is not threading.main_thread():
        return ""
    while frame is not None:
        file = frame.f_code.co_filename.replace("\\", "/")
        if file.startswith("<frozen importlib") or file.endswith(_LOADING) or _is(frame, _WITHIN):
            return ""
        found = found or _is(frame, runners)
        worker = worker or _is(frame, _WORKERS)
        frame = frame.f_back
    if not found or worker != forked:
        return ""
    return "worker" if worker else "runner"


def handed_over(frame: Any) -> Any:
    """Whether pytest runs here because Django's command let a runner of the project's run the tests, which is not Django's own."""
    session, runner = False, None
    if threading.current_thread() is not threading.main_thread():
        return False
    while frame is not None:
        file = frame.f_code.co_filename.replace("\\", "/")
        session = session or _is(frame, _SESSION)
        if session and _is(frame, _COMMAND) and runner is None:
            runner = frame.f_locals.get("test_runner")
        elif session and (
            file.startswith("<frozen importlib") or file.endswith(_LOADING) or _is(frame, _RUNNERS)
        ):
            return False
        frame = frame.f_back
    owners = [kind.__module__ for kind in type(runner).__mro__ if "run_tests" in vars(kind)]
    return bool(owners) and owners[0].split(".")[0] != "django"


def at_home(kind: Any) -> Any:
    """Whether the ``run`` of a class was written in the module of the class that has it."""
    owner = next(one for one in kind.__mro__ if "run" in vars(one))
    place = getattr(sys.modules.get(owner.__module__), "__dict__", None)
    return getattr(vars(owner)["run"], "__globals__", None) is place


def leaves(suite: Any) -> Any:
    """How the processes begin in which the tests of a suite run, where they are not forked: they begin anew, without us."""
    parallel = any(
        kind.__name__ == "ParallelTestSuite" and kind.__module__ == "django.test.runner"
        for kind in type(suite).__mro__
    )
    how = sys.modules["multiprocessing"].get_start_method() if parallel else "fork"
    return "" if how == "fork" else how


def chosen(how: Any) -> Any:
    """What is to be told where that is not how they begin on this machine: somebody chose it."""
    usual = sys.modules["multiprocessing"].get_all_start_methods()[0]
    return ["how its processes begin: by " + how] if how != usual else []


def elsewhere(met: Any) -> Any:
    """Whether no run began here because it was to be elsewhere: in the processes of a plug-in, or in another Python that a script
    started. ``met``: those of MARKS that were imported."""
    found = {*met, *(name for name in MARKS if name in sys.modules)}
    main = getattr(sys.modules.get("__main__"), "__spec__", None)
    return bool(found.intersection(_PROCESSES)) or not (found or main)
