"""Run a suite once more to learn which lines its tests execute, with the runner's own tool.

The run judges nothing: its exit code and its output are thrown away, and the user's own run stays as it was.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator import process
from tdd_orchestrator.model.coverage import Coverage
from tdd_orchestrator.runners.coverage_formats import READERS
from tdd_orchestrator.runners.framework import Ask, Measure
from tdd_orchestrator.runners.run import Suite, run_suite

_PLUGIN = Path(__file__).with_name("reporters") / "tdd_coverage.py"


def measure(
    suite: Suite,
    tree: Path,
    *,
    work: Path,
    env: Mapping[str, str],
    wrap: Callable[[list[str]], list[str]],
    run_marker: str = "",
    outside: process.Outside = nullcontext,
) -> tuple[Coverage, float]:
    """Return which lines the suite executes in ``tree``, with the seconds that the run took."""
    row = suite.framework
    if row.measure is None:
        return Coverage(why=f"the runner '{row.name}' has no row for coverage"), 0.0
    folder = work / f"coverage-{secrets.token_hex(8)}"
    folder.mkdir(parents=True, mode=0o700)
    try:
        return _measured(suite, row.measure, tree, work, folder, env, wrap, run_marker, outside)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measured(
    suite: Suite,
    how: Measure,
    tree: Path,
    work: Path,
    folder: Path,
    env: Mapping[str, str],
    wrap: Callable[[list[str]], list[str]],
    run_marker: str,
    outside: process.Outside,
) -> tuple[Coverage, float]:
    row = suite.framework
    request = Ask("text", argv=tuple(_fill(word, folder) for word in how.argv), after=how.after)
    more = {name: " ".join(filter(None, (env.get(name, ""), _fill(text, folder)))) for name, text in how.env}
    if how.format == "pytest":
        shutil.copyfile(_PLUGIN, folder / _PLUGIN.name)
        more["PYTHONPATH"] = os.pathsep.join([*filter(None, [env.get("PYTHONPATH", "")]), str(folder)])
    ran = run_suite(
        replace(suite, framework=replace(row, ask=request, lists_files=False)),
        tree,
        work=work,
        env={**env, **more},
        wrap=wrap,
        run_marker=run_marker,
        outside=outside,
    )
    found = READERS[how.format](folder, tree, tree / suite.cwd)
    if not found.executed:
        said = folder / "why"
        needs = f"; it needs {how.needs}" if how.needs else ""
        none = f"'{row.name}' left no coverage report{needs}"
        why = said.read_text(encoding="utf-8") if said.is_file() else none
        return Coverage(why=why), ran.seconds
    return found, ran.seconds


def _fill(text: str, folder: Path) -> str:
    return text.replace("{folder}", str(folder))
