"""A pytest plug-in that writes each report as one JSON line to the file that TDD_EVENTS names.

It only reads what pytest reports: it returns nothing from a hook, alters no report, and no option of the
user's own run. In a run of chosen tests each of them is asked, so that one does not end at the first failure
(TDD_TO_THE_END). It runs in the interpreter of the tests, so it needs nothing but Python 3.7 and pytest 6. With
pytest-xdist the controller writes. PYTEST_DONT_REWRITE
"""

import json
import os
import sys
from typing import Any

import pytest

_EVENTS = os.environ.get("TDD_EVENTS", "")
_TO_THE_END = bool(os.environ.get("TDD_TO_THE_END"))
_TEXT, _OUTPUT = 12000, 4000
_HOME = os.path.dirname(os.path.abspath(__file__))
_ADDED = {
    name: value
    for name, value in os.environ.items()
    if name.startswith("TDD_BEFORE_") or name in ("TDD_EVENTS", "TDD_TO_THE_END")
}
_ADDED.update(
    (name, os.environ[name]) for name in ("PYTEST_ADDOPTS", "PYTHONPATH") if _ADDED and name in os.environ
)


def _leave_no_trace() -> Any:
    """Give the tests the environment that the command had: programs that they start report nothing."""
    for name in _ADDED:
        before = _ADDED.get("TDD_BEFORE_" + name)
        if before:
            os.environ[name] = before
        else:
            os.environ.pop(name, None)
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _HOME] + [_HOME]


def pytest_addoption() -> Any:
    _leave_no_trace()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: Any) -> Any:
    if _TO_THE_END:
        config.option.maxfail = 0
        config.option.stepwise = False


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> Any:
    """A script may call pytest again: that session reports as well."""
    if _EVENTS:
        os.environ.update(_ADDED)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(specs: Any) -> Any:
    """The workers load the plug-in as well, for the frames of their failures; they write nothing."""
    for spec in specs:
        spec.env.update(_ADDED, TDD_EVENTS="")


def _cut(text: Any, limit: Any) -> Any:
    return text if len(text) <= limit else text[: limit // 2] + "\n[...]\n" + text[-(limit // 2) :]


def _write(kind: Any, **facts: Any) -> Any:
    if _EVENTS:
        line = json.dumps({"event": kind, "pid": os.getpid(), **facts}) + "\n"
        descriptor = os.open(_EVENTS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line.encode("utf-8", "backslashreplace"))
        finally:
            os.close(descriptor)


def _failure(raised: Any) -> Any:
    """Type, message and frames (file, line) of an exception, the innermost frame last."""
    inner = getattr(raised, "exc_info", None)
    name = type(raised).__name__
    if name == "UnexpectedException" and inner:  # doctest wraps what an example raised
        name, raised = inner[0].__name__, inner[1]
    frames, traceback = [], raised.__traceback__
    while traceback is not None:
        frames.append([traceback.tb_frame.f_code.co_filename, traceback.tb_lineno])
        traceback = traceback.tb_next
    try:
        message = str(raised)
    except Exception as error:  # noqa: BLE001 - an object of the project's may raise anything
        message = "its message raised " + type(error).__name__
    if name == "AssertionError" and not message:
        message = "assertion failed"
    return {"type": name, "message": _cut(message, 2000), "frames": frames[:2] + frames[2:][-20:]}


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: Any) -> Any:
    root = getattr(session.config, "rootpath", None) or session.config.rootdir
    _write("start", pytest=pytest.__version__, root=str(root))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: Any) -> Any:
    _write("collected", tests=len(session.items))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Any) -> Any:
    _write("collected", tests=len(ids))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    made = yield
    if call.excinfo is not None and made.excinfo is None:
        made.get_result().tdd_failure = _failure(call.excinfo.value)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_make_collect_report(collector: Any) -> Any:
    made = yield
    if made.excinfo is None:
        report = made.get_result()
        excinfo = getattr(getattr(report, "call", None), "excinfo", None)
        if report.outcome == "failed" and excinfo is not None:
            # pytest wraps what went wrong at an import in an error of its own
            report.tdd_failure = _failure(excinfo.value.__cause__ or excinfo.value)


def _text(report: Any) -> Any:
    try:
        return _cut(report.longreprtext, _TEXT)
    except Exception as error:  # noqa: BLE001 - an object of the project's may raise anything
        return "the text of the report raised " + type(error).__name__


@pytest.hookimpl(tryfirst=True)
def pytest_collectreport(report: Any) -> Any:
    if report.outcome == "failed":
        _write(
            "collect_error",
            id=report.nodeid,
            text=_text(report),
            failure=getattr(report, "tdd_failure", None),
        )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: Any) -> Any:
    if report.when != "call" and report.outcome == "passed" and not hasattr(report, "wasxfail"):
        return  # a set-up or a clean-up that went well says nothing of the test, and is two lines of three
    facts = {"id": report.nodeid, "when": report.when, "outcome": report.outcome, "seconds": report.duration}
    if report.location:
        facts["file"], facts["line"] = report.location[0], (report.location[1] or 0) + 1
    if hasattr(report, "wasxfail"):
        facts["xfail"] = True
    if hasattr(report, "context"):
        facts["subtest"] = True
    if report.outcome == "skipped":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else getattr(report, "wasxfail", "")
        facts["reason"] = _cut(str(reason), 2000)
    elif report.outcome != "passed":
        facts["failure"] = getattr(report, "tdd_failure", None)
        facts["text"] = _text(report)
        facts["output"] = _cut((report.capstdout or "") + (report.capstderr or ""), _OUTPUT)
        facts["properties"] = [[str(k)[:100], str(v)[:500]] for k, v in (report.user_properties or [])[:20]]
    _write("report", **facts)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_sessionfinish(session: Any) -> Any:
    yield
    if getattr(session.config, "workerinput", None) is None:
        _write("finish", status=int(getattr(session, "exitstatus", -1)))
