"""A test command that lets no stranger in: a linter in front of the runner refuses the must-fail test, and nothing runs.

Then the command runs as it is, without the control, and the runner behind it runs by itself, with it. Both must agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.runners.run import Ran, Suite
from tdd_orchestrator.runners.wrappers import Reach, reach

_NOTHING_RAN = frozenset({RunVerdict.UNREADABLE, RunVerdict.NO_TESTS})
_RAN = frozenset({RunVerdict.PASSED, RunVerdict.FAILED, RunVerdict.ERROR})
_BROKEN_OFF = frozenset({RunVerdict.CRASHED, RunVerdict.TIMED_OUT})
"""A control that failed in such a run vouches for nothing that came after it."""


def kept_out(suite: Suite, tree: Path, ran: Ran) -> bool:
    """Whether a run with a control came to nothing, perhaps for the control's sake: something stands before the runner."""
    if ran.control is True or ran.report.verdict not in _NOTHING_RAN or not suite.framework.command:
        return False
    return reach(suite.command, tree / suite.cwd, suite.framework.signs.words) in (
        Reach.SCRIPT,
        Reach.WRAPPER,
    )


def behind(whole: Ran, direct: Callable[[], Ran]) -> Ran:
    """What counts of ``whole``, the command without a control, and ``direct``, its runner by itself and with one.

    The direct run names its tests and carries the control: it stands where it says the same, or worse. It is not made
    where the whole command did not come to run tests either.
    """
    if whole.report.verdict not in _RAN:
        return whole
    alone = direct()
    unloaded = alone.control is None and alone.report.build_error and whole.report.build_error
    believed = alone.control is True or unloaded  # what does not load runs no control either
    if not believed or alone.report.verdict not in _RAN:
        broken_off = alone.control is True and alone.report.verdict in _BROKEN_OFF
        return replace(whole, control=None if broken_off else alone.control)
    better = alone.report.verdict is RunVerdict.PASSED and whole.report.verdict is not RunVerdict.PASSED
    return replace(whole, control=True) if better else alone
