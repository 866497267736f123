"""A pytest plug-in that writes down what happened, one JSON object a line, to a file of the orchestrator's.

Copied under a random name into a private folder, with its guard and what all witnesses share, and loaded with ``-p``; it needs
nothing but pytest (6 or newer) and Python 3.7. Each pytest process writes a file of its own; with pytest-xdist only
the controller writes. It asserts nothing, so pytest need not take the time to rewrite it: PYTEST_DONT_REWRITE.
"""

import importlib
import os
import sys
from typing import Any

import pytest

_shared = importlib.import_module(__name__ + "_shared")
_shared.settle(globals())
_cut, _facts = _shared.cut, _shared.facts_of
_DETAIL, _MESSAGE, _OUTPUT = 12000, 2000, 4000


def _own_folder_on_path() -> None:
    """``python -m pytest`` promises the current folder on sys.path; safe-path mode took it. Put it back behind the
    standard library, where it can shadow neither that nor, before it, anything that PYTHONPATH names."""
    given = getattr(sys, "orig_argv", [])
    by_module = any(a == "-m" and b.startswith(("pytest", "py.test")) for a, b in zip(given, given[1:]))  # noqa: B905, RUF007
    if not by_module or not getattr(sys.flags, "safe_path", False):
        return
    packages = [i for i, entry in enumerate(sys.path) if "site-packages" in entry or "dist-packages" in entry]
    sys.path.insert(packages[0] if packages else len(sys.path), os.getcwd())


def _begun() -> Any:
    voice = _shared.Voice()
    if voice.orders is not None:
        home = os.path.dirname(os.path.abspath(__file__))
        sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != home] + [home]
        if voice.orders["safe_path"]:
            _own_folder_on_path()
        voice.say("loaded", pytest=pytest.__version__, python=sys.version.split()[0])
    return voice


_witness = _begun()
_guard = importlib.import_module(__name__ + "_guard").Guard()


def _orders(config: Any) -> Any:
    worker = getattr(config, "workerinput", None)
    return worker.get("tdd_orders", {}) if worker is not None else _witness.orders or {}


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: Any) -> None:
    if _witness.orders is not None or getattr(config, "workerinput", None) is not None:
        config.option.maxfail = 0  # every test has its say


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    _guard.look()
    _guard.know(early_config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _guard.note(getattr(node, "workeroutput", {}).get("tdd_patched", ()))


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
    _guard.before_the_tests(session.config, session.items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Any) -> None:
    _witness.say("items", items=[[str(identity), 0] for identity in ids])


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item: Any) -> Any:
    outcome = yield
    _guard.raised[item.nodeid] = outcome.excinfo[1] if outcome.excinfo else None


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Any:
    _guard.called.add(pyfuncitem.nodeid)
    yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    made = yield
    report = made.get_result()
    raised = _guard.after_a_call(item, report) if call.when == "call" else None
    if call.excinfo is not None:
        report.tdd_facts = _facts(call.excinfo.value, call.excinfo.tb)
        hidden = report.outcome == "passed" and not hasattr(report, "wasxfail")
        report.tdd_hidden = hidden and not isinstance(call.excinfo.value, pytest.skip.Exception)
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
    _guard.look_again()
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["tdd_patched"] = list(_guard.patched)
    if _guard.patched:
        _witness.say("patched", names=sorted(_guard.patched)[:20])
    status = getattr(session, "exitstatus", -1)
    _witness.say("finish", status=int(status), failed=session.testsfailed, collected=session.testscollected)
