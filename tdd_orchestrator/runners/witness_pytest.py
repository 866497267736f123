"""A pytest plug-in that writes down what happened, one JSON object a line, to a file of the orchestrator's.

Copied under a random name into a private folder and loaded with ``-p``; it needs nothing but pytest (6 or newer) and
Python 3.7. It takes its orders from the file that TDD_WITNESS names, removes every trace of itself from the
environment, and keeps only an open file descriptor. Each pytest process writes a file of its own; with pytest-xdist only
the controller writes.
"""

import json
import os
import re
import sys
import time
from typing import Any

import pytest

_write, _getpid, _encode = os.write, os.getpid, json.JSONEncoder(ensure_ascii=True).encode
_DETAIL, _MESSAGE, _OUTPUT = 12000, 2000, 4000


def _cut(text: Any, limit: Any) -> Any:
    return text if len(text) <= limit else text[: limit // 2] + "\n[...]\n" + text[-(limit // 2) :]


def _restore(orders: Any) -> None:
    """Put the environment back as the user has it: what tests start must not find the witness."""
    for name, value in orders["restore"].items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    home = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != home] + [home]


def _own_folder_on_path() -> None:
    """``python -m pytest`` promises the current folder on sys.path; safe-path mode took it. Put it back behind the
    standard library, where it can shadow neither that nor, before it, anything that PYTHONPATH names."""
    given = getattr(sys, "orig_argv", [])
    by_module = any(a == "-m" and b.startswith(("pytest", "py.test")) for a, b in zip(given, given[1:]))  # noqa: B905, RUF007
    if not by_module or not getattr(sys.flags, "safe_path", False):
        return
    packages = [i for i, entry in enumerate(sys.path) if "site-packages" in entry or "dist-packages" in entry]
    sys.path.insert(packages[0] if packages else len(sys.path), os.getcwd())


_RUNNER = (
    "_pytest.runner", "_pytest.reports", "_pytest.python", "_pytest.nodes", "_pytest.main", "_pytest.skipping", "_pytest.outcomes",
    "_pytest.unittest", "_pytest.assertion", "_pytest.assertion.rewrite", "pluggy._callers", "pluggy._hooks", "pluggy._manager",
    "pluggy._result", "unittest.case", "json.encoder", __name__,
)  # fmt: skip


def _runner() -> Any:
    """Every function of the runner and of this witness by name, with its code: what the project's code may not change."""
    found = {"builtins.AssertionError": (AssertionError, None), "os.write": (os.write, None)}
    for module in _RUNNER:
        for name, value in list(vars(sys.modules[module]).items() if module in sys.modules else ()):
            members = (
                list(vars(value).items()) if isinstance(value, type) and value.__module__ == module else []
            )
            for path, one in [(name, value), *((name + "." + key, one) for key, one in members)]:
                function = getattr(one, "__func__", one)
                code = getattr(function, "__code__", None)
                if code is not None:
                    found[module + "." + path] = (function, code)
    return found


def _changed(before: Any) -> Any:
    """Names of the functions in ``before`` that are others now, or have other code."""
    now = _runner()
    return [
        name
        for name, value in before.items()
        if now.get(name, (None,))[0] is not value[0] or now[name][1] is not value[1]
    ]


_DECIDING = (
    "pytest_runtest_protocol", "pytest_runtest_setup", "pytest_runtest_call", "pytest_runtest_teardown", "pytest_pyfunc_call",
    "pytest_runtest_makereport", "pytest_runtest_logreport", "pytest_sessionfinish",
)  # fmt: skip


def _hooks(config: Any) -> Any:
    """Who has a say in a test's outcome, hook by hook: once the tests run, nobody comes and nobody goes."""
    return {
        name: [id(one.function) for one in getattr(config.hook, name).get_hookimpls()] for name in _DECIDING
    }


def _newcomers(config: Any) -> Any:
    """Who has such a say, is neither installed nor a conftest.py, which no phase may touch: ``hook by file``. The project's
    own plug-ins are among them; whoever compares with the baseline sees those that came since."""
    found = []
    for name in _DECIDING:
        for hook in getattr(config.hook, name).get_hookimpls():
            code = getattr(hook.function, "__code__", None)
            file = getattr(code, "co_filename", "?")
            installed = os.path.exists(file) and re.search(_INSTALLED, file)
            if file != __file__ and not installed and os.path.basename(file) != "conftest.py":
                found.append(name + " by " + os.path.relpath(file, str(config.rootdir)))
    return found


_INSTALLED = r"[/\\](?:site|dist)-packages[/\\]|[/\\]_?pytest[/\\]"
_GUARDED = re.compile(_INSTALLED + r"|(?:^|[/\\])(?:test_[^/\\]*|[^/\\]*_test)\.py$")


def _audited(event: Any, given: Any) -> None:
    """Python tells it of itself, and nobody can take the listener away: a test, or a part of the runner, got other code."""
    if event == "object.__setattr__" and given[1] == "__code__" and _witness is not None:
        code = given[0].__code__
        if _GUARDED.search(code.co_filename) and not code.co_flags & _NESTED:
            _witness.patched["the code of " + code.co_name] = None


_NESTED = 0x10  # inspect.CO_NESTED
_witness: Any = None


class _Witness:
    def __init__(self) -> None:
        self.orders: Any = None
        self.raised: Any = {}  # id of a test -> what its call raised, or None, before pytest made anything of it
        self.called: Any = set()  # ids of the test functions that were called
        self.descriptor = -1
        self.number = 0
        self.pid = _getpid()
        self.runner: Any = {}
        self.patched: Any = {}
        self.hooks: Any = {}
        where = os.environ.pop("TDD_WITNESS", "")
        if where:
            with open(where, encoding="utf-8") as file:
                self.orders = json.load(file)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            path = os.path.join(self.orders["folder"], f"{time.time_ns()}-{self.pid}.jsonl")
            self.descriptor = os.open(path, flags, 0o600)
            _restore(self.orders)
            if self.orders["safe_path"]:
                _own_folder_on_path()
            self.say("loaded", pytest=pytest.__version__, python=sys.version.split()[0])

    def say(self, kind: Any, **facts: Any) -> None:
        if self.descriptor < 0 or _getpid() != self.pid:
            return
        facts.update(t=kind, n=self.orders["nonce"], i=self.number)
        self.number += 1
        data = (_encode(facts) + "\n").encode("ascii", "replace")
        while data:
            data = data[_write(self.descriptor, data) :]


_witness = _Witness()
if hasattr(sys, "addaudithook"):
    sys.addaudithook(_audited)


def _orders(config: Any) -> Any:
    worker = getattr(config, "workerinput", None)
    return worker.get("tdd_orders", {}) if worker is not None else _witness.orders or {}


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: Any) -> None:
    if _witness.orders is not None or getattr(config, "workerinput", None) is not None:
        config.option.maxfail = 0  # every test has its say


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Plug-ins are loaded, and nothing of the project's: so the runner looks when it is itself."""
    _witness.runner = _runner()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _witness.patched.update(dict.fromkeys(getattr(node, "workeroutput", {}).get("tdd_patched", ())))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["tdd_orders"] = {key: (_witness.orders or {}).get(key) for key in ("only", "also")}


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: Any) -> None:
    root = getattr(session.config, "rootpath", None) or session.config.rootdir
    _witness.say("start", root=str(root), xdist=bool(getattr(session.config.option, "dist", "no") != "no"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: Any, items: Any) -> None:
    """The chosen tests alone; the control behind all others, for what they call may reach for the runner."""
    planted = set(_orders(config).get("also") or [])
    items.sort(key=lambda item: os.path.basename(item.nodeid.split("::")[0]) in planted)
    chosen = _orders(config).get("only") or []
    if not chosen:
        return
    exact = set(chosen)
    heads = tuple(c + "::" for c in chosen) + tuple(c + "[" for c in chosen)
    kept: Any = []
    gone: Any = []
    for item in items:
        identity = item.nodeid
        wanted = (
            identity in exact
            or identity.startswith(heads)
            or os.path.basename(identity.split("::")[0]) in planted
        )
        (kept if wanted else gone).append(item)
    if gone:
        config.hook.pytest_deselected(items=gone)
        items[:] = kept


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: Any) -> None:
    _witness.say("items", items=[[item.nodeid, (item.location[1] or 0) + 1] for item in session.items])
    _witness.hooks = _hooks(session.config)
    _witness.patched.update(dict.fromkeys(_newcomers(session.config)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Any) -> None:
    _witness.say("items", items=[[str(identity), 0] for identity in ids])


def _facts(value: Any, traceback: Any) -> Any:
    """Type, message and frames of an exception; the frames are (file, line, function), the innermost last."""
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append([code.co_filename, traceback.tb_lineno, code.co_name])
        traceback = traceback.tb_next
    try:
        message = str(value)
    except Exception as error:  # noqa: BLE001 - whatever an object of the project's raises
        message = "its message could not be made: " + type(error).__name__
    facts = {
        "exc": type(value).__name__,
        "msg": _cut(message, _MESSAGE),
        "frames": frames[:2] + frames[2:][-18:],
    }
    if isinstance(value, AssertionError):
        facts["assertion"] = True
    if isinstance(value, SyntaxError):
        facts["frames"].append([str(value.filename or ""), value.lineno or 0, ""])
    return facts


def _foreign(item: Any) -> Any:
    """The name of a test function whose code was put in its place: it names another function, or another file."""
    function = getattr(item, "function", None)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    name = getattr(function, "__name__", "")
    if code is None or hasattr(function, "__wrapped__") or code.co_name == name:
        return []
    return [item.nodeid] if code.co_name == "<lambda>" or code.co_filename != str(item.fspath) else []


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item: Any) -> Any:
    outcome = yield
    _witness.raised[item.nodeid] = outcome.excinfo[1] if outcome.excinfo else None


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Any:
    _witness.called.add(pyfuncitem.nodeid)
    yield


def _unseen(item: Any, report: Any) -> Any:
    """The name of a test that passed although nobody called it."""
    plain = type(item) is pytest.Function
    seen = item.nodeid in (_witness.called if plain else _witness.raised)
    return [item.nodeid + ", which was not called"] if report.outcome == "passed" and not seen else []


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    made = yield
    report = made.get_result()
    if call.when == "call":
        _witness.patched.update(dict.fromkeys([*_foreign(item), *_unseen(item, report)]))
        now = _hooks(item.config)
        _witness.patched.update(
            dict.fromkeys(name for name in _witness.hooks if now[name] != _witness.hooks[name])
        )
    if call.excinfo is not None:
        report.tdd_facts = _facts(call.excinfo.value, call.excinfo.tb)
        hidden = report.outcome == "passed" and not hasattr(report, "wasxfail")
        report.tdd_hidden = hidden and not isinstance(call.excinfo.value, pytest.skip.Exception)
    raised = _witness.raised.pop(item.nodeid, None) if call.when == "call" else None
    if raised is not None and report.outcome == "passed" and not hasattr(report, "wasxfail"):
        report.tdd_facts, report.tdd_hidden = _facts(raised, raised.__traceback__), True


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_make_collect_report(collector: Any) -> Any:
    made = yield
    report = made.get_result()
    excinfo = getattr(getattr(report, "call", None), "excinfo", None)
    if report.outcome == "failed" and excinfo is not None:
        cause = excinfo.value.__cause__ or excinfo.value
        report.tdd_facts = _facts(cause, cause.__traceback__)


def _text(report: Any) -> Any:
    try:
        return _cut(report.longreprtext, _DETAIL)
    except Exception as error:  # noqa: BLE001 - whatever an object of the project's raises
        return "the report's text could not be made: " + type(error).__name__


@pytest.hookimpl(tryfirst=True)
def pytest_collectreport(report: Any) -> None:
    if report.outcome == "failed":
        _witness.say("collect", id=report.nodeid, text=_text(report), **getattr(report, "tdd_facts", {}))


def _skip_reason(report: Any) -> Any:
    reason = getattr(report, "wasxfail", None)
    if reason is None and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2]
    return _cut(str(reason or ""), _MESSAGE)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: Any) -> None:
    hidden = getattr(report, "tdd_hidden", False)
    if report.when == "setup" and report.outcome == "passed" and not hidden:
        return
    facts = {"id": report.nodeid, "when": report.when, "outcome": report.outcome, "sec": report.duration}
    if report.location:
        facts["file"], facts["line"] = report.location[0], (report.location[1] or 0) + 1
    if hasattr(report, "wasxfail"):
        facts["xfail"] = True
    if hidden:
        facts["hidden"] = True
    if hasattr(report, "context"):
        facts["sub"] = _cut(str(getattr(report, "sub_test_description", lambda: "")()), 200)
    if report.outcome == "skipped":
        facts["reason"] = _skip_reason(report)
    elif report.outcome != "passed" or hidden:
        facts.update(getattr(report, "tdd_facts", {}))
        facts["text"] = _text(report)
        facts["out"] = _cut(report.capstdout or "", _OUTPUT)
        facts["err"] = _cut(report.capstderr or "", _OUTPUT)
        facts["props"] = [[str(k)[:100], str(v)[:500]] for k, v in (report.user_properties or [])[:20]]
    _witness.say("phase", **facts)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_sessionfinish(session: Any) -> Any:
    yield
    _witness.patched.update(dict.fromkeys(_changed(_witness.runner)))
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["tdd_patched"] = list(_witness.patched)
    if _witness.patched:
        _witness.say("patched", names=sorted(_witness.patched)[:20])
    status = getattr(session, "exitstatus", -1)
    _witness.say("finish", status=int(status), failed=session.testsfailed, collected=session.testscollected)
