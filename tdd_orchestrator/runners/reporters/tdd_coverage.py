"""A pytest plug-in that measures with the project's own coverage.py which lines each test executes.

It writes one JSON file for each process into the folder that TDD_COVERAGE names: path -> line -> tests, and the
lines that could run and did not. Its run judges nothing: the tests ran without it before. Lines that only
another program runs, which a test starts, are not seen. PYTEST_DONT_REWRITE
"""

import contextlib
import json
import os
from typing import Any

import pytest

_FOLDER = os.environ.get("TDD_COVERAGE", "")
_MOST = 200  # tests that one line names

try:
    import coverage
except ImportError:
    coverage = None  # type: ignore[assignment]


class _Measuring:
    """Measures from the moment that the plug-in is loaded to the end of the session."""

    def __init__(self) -> None:
        self.root = os.path.realpath(os.getcwd())
        self.coverage = coverage.Coverage(data_file=None, source=[self.root])
        self.coverage.set_option("run:dynamic_context", None)
        with contextlib.suppress(coverage.CoverageException):  # an old one lists fewer modules
            self.coverage.set_option("report:include_namespace_packages", True)
        self.coverage.start()

    def write(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        files = {}
        for name in sorted(data.measured_files()):
            path = os.path.realpath(name)
            if not path.startswith(self.root + os.sep):
                continue
            try:
                _, could, _, missing, _ = self.coverage.analysis2(name)
            except coverage.CoverageException:
                continue  # not Python, or not there any more
            tests = data.contexts_by_lineno(name)
            files[path] = {
                "executed": {
                    str(line): sorted(filter(None, tests.get(line, ())))[:_MOST]
                    for line in sorted(set(could) - set(missing))
                },
                "missing": sorted(missing),
            }
        place = os.path.join(_FOLDER, f"coverage-{os.getpid()}.json")
        with open(place, "w", encoding="utf-8") as file:
            json.dump({"files": files}, file)


_MEASURING = _Measuring() if _FOLDER and coverage is not None else None
if _FOLDER and coverage is None:
    with open(os.path.join(_FOLDER, "why"), "w", encoding="utf-8") as _file:
        _file.write("coverage.py is not installed where the tests run")


@pytest.hookimpl(hookwrapper=True)
def pytest_load_initial_conftests(early_config: Any, args: Any) -> Any:
    """Put pytest-cov aside in this run: two tracers see nothing of each other."""
    if early_config.pluginmanager.hasplugin("pytest_cov"):
        args.insert(0, "--no-cov")
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: Any) -> Any:
    if _MEASURING is not None:
        _MEASURING.coverage.switch_context(item.nodeid)
    yield
    if _MEASURING is not None:
        _MEASURING.coverage.switch_context("")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    global _MEASURING
    if _MEASURING is not None:
        _MEASURING.write()
        _MEASURING = None
