"""What failed, for the next attempt: feedback, and long logs cut to the first failure, assertions and frames of the project."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile

from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.text import middle_cut, plain

_LONGEST_LINE = 400  # characters
_LARGEST = 16 << 20  # characters looked at
_MOST_LINES = 400_000  # looked at, half of them from each end
_MOST_HITS = 2_000  # from each end
_NEAR = 3  # lines kept around the first failure
_ROUND = 8  # lines that may fill the room around the first failures

_SIGN = re.compile(
    r"^E\s{2,}|^>\s|\bassert|Assertion|\bexpected\b|\bactual\b|\breceived\b|(?:^|\s)(?:left|right"
    r"|got|want):|\berror(?:\[\w+\])?:"
    r"|Error\b|Exception\b|panicked at|^\s*(?:---\s)?FAIL|^not ok|✕|✗|^\s*\d+\) ",
    re.IGNORECASE,
)
_WORDS = (
    "\ne", "\n>", "assert", "expected", "actual", "received", "left:", "right:", "got:", "want:", "error",
    "exception",
    "panicked at", "fail", "not ok", "✕", "✗", ") ",
)  # fmt: skip
"""One of them is in every line that has a sign: a look for words is much quicker than one for the
expression."""
_BLOCK = 256  # lines that are looked through for words at once
_FRAME = re.compile(r"\w\.\w{1,5}(?::\d|\", line \d|\(\d)")
"""``path.ext:12``, ``path.ext", line 12``, ``path.ext(12``; begun at a literal dot, so that a hostile line
costs nothing."""
_FOREIGN = re.compile(
    r"site-packages|node_modules|dist-packages|/usr/lib|[\\/]lib[\\/]python|\.cargo|rustc"
    r"|node:internal|\(internal/|java\.base|vendor/"
)


_BARE_FRAME = re.compile(r"\s*\S+:\d+\s*")


def cut_log(text: str, limit: int) -> str:
    """At most about ``limit`` characters of the log, in its own order. Lines that say nothing fill no
    room, and lines that only name a place in installed code are left out."""
    text = plain(middle_cut(text, _LARGEST)).strip("\n")
    text = "\n".join(line for line in text.split("\n") if not _is_foreign(line))
    if len(text) <= limit:
        return text
    lines = text.split("\n")
    kept: set[int] = set()
    room = limit
    for number in _by_weight(lines):
        if number in kept or not 0 <= number < len(lines):
            continue
        cost = min(len(lines[number]), _LONGEST_LINE + 1) + 1
        if cost > room:
            break
        kept.add(number)
        room -= cost
    return _joined(lines, kept)


def _is_foreign(line: str) -> bool:
    """Return whether the line is nothing but a place in installed code."""
    return len(line) <= _LONGEST_LINE and bool(_BARE_FRAME.fullmatch(line) and _FOREIGN.search(line))


def _by_weight(lines: list[str]) -> list[int]:
    """Line numbers, the most telling first; some may be outside of the log."""
    total = len(lines)
    signs = _hits(total, lambda numbers: _signs(lines, numbers))
    frames = _hits(total, lambda numbers: _frames(lines, numbers))
    first = signs[0] if signs else total - 1
    pairs = [number for pair in zip(signs, reversed(signs), strict=True) for number in pair]
    round_them = [sign + side * far for far in range(1, _ROUND) for sign in signs[:12] for side in (-1, 1)]
    return [
        *range(first - _NEAR, first + _NEAR + 1),
        *range(total - 6, total),
        *signs[:12],
        *frames[:12],
        *pairs,
        *frames,
        *(number + 1 for number in frames),  # the code that a frame shows
        *range(8),
        *round_them,
        *(() if signs or frames else reversed(range(total))),
    ]


def _signs(lines: list[str], numbers: Sequence[int]) -> Iterator[int]:
    for start in range(0, len(numbers), _BLOCK):
        block = numbers[start : start + _BLOCK]
        low = "\n".join(["", *(lines[number][:_LONGEST_LINE] for number in block)]).lower()
        words = [word for word in _WORDS if word in low]
        if words:
            yield from (number for number in block if _has_sign(lines[number][:_LONGEST_LINE], words))


def _has_sign(line: str, words: list[str]) -> bool:
    low = f"\n{line}".lower()
    return any(word in low for word in words) and bool(_SIGN.search(line))


def _frames(lines: list[str], numbers: Sequence[int]) -> Iterator[int]:
    for number in numbers:
        line = lines[number][:_LONGEST_LINE]
        if _FRAME.search(line) and not _FOREIGN.search(line):
            yield number


def _hits(total: int, find_hits: Callable[[Sequence[int]], Iterator[int]]) -> list[int]:
    """The numbers of telling lines, from both ends of a log that has too many."""
    half = _MOST_LINES // 2
    looked_at: Sequence[int] = range(total)
    if total > _MOST_LINES:
        looked_at = [*range(half), *range(total - half, total)]
    front = list(islice(find_hits(looked_at), _MOST_HITS))
    if len(front) < _MOST_HITS:
        return front
    back = takewhile(lambda number: number > front[-1], find_hits(looked_at[::-1]))
    return front + list(islice(back, _MOST_HITS))[::-1]


def _joined(lines: list[str], kept: set[int]) -> str:
    out: list[str] = []
    last = -1
    for number in (*sorted(kept), len(lines)):
        if number != last + 1:
            out.append(f"[... {number - last - 1} lines cut ...]")
        if number < len(lines):
            line = lines[number]
            out.append(line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…")
        last = number
    return "\n".join(out)


FEEDBACK: dict[Verdict, str] = {
    Verdict.PROVEN: "It was accepted.",
    Verdict.UNCHANGED: "Nothing was changed, which is accepted here.",
    Verdict.MUTANT_KILLED: "The test fails with the fault in place and passes without it: it was accepted.",
    Verdict.OUTER_PASSES: "The test failed before the items below it were done, and passes now: it was accepted.",
    Verdict.ALREADY_COVERED: "The behaviour is there already; the item was skipped.",
    Verdict.UNEXPECTED_PASS: (
        "The new test passed at once, so it proves nothing. Verify its assertions: do they check "
        "the behaviour that is "
        "still missing?"
    ),
    Verdict.INVALID_TEST: (
        "The test fails for a reason of its own: it did not compile or load, or its own code "
        "raised. Repair the test; the error "
        "is shown."
    ),
    Verdict.WEAKENED_TEST: (
        "A test that you changed still passes. Change it so that it fails until the new behaviour "
        "is there, or put it back."
    ),
    Verdict.VACUOUS_TEST: (
        "The test passes whatever the code does, so it proves nothing. It must call the new code "
        "and compare what comes back."
    ),
    Verdict.NO_NEW_TEST: "No new test was found. Add one where the runner finds it, under a new name.",
    Verdict.DUPLICATE_TEST: (
        "The test exists already under this name or with this body. Test what is not yet tested."
    ),
    Verdict.STILL_FAILING: "The test still fails. Try another approach; the last one is shown below.",
    Verdict.PARTLY_FAILING: "Some of the target tests pass now, others still fail. Make all of them pass.",
    Verdict.TEST_VANISHED: "A test that passed before is gone or skipped. Every test must stay, and run.",
    Verdict.BUILD_ERROR: "The code did not build or load. Repair that first; the error is shown.",
    Verdict.BREAKS_EXISTING: (
        "Tests that passed before failed. The change was rolled back: find another implementation "
        "that keeps them passing."
    ),
    Verdict.FORBIDDEN_CHANGE: (
        "Files were changed that this phase may not touch. The change was thrown away; leave them alone."
    ),
    Verdict.NO_CHANGE: "Edit the files; a description of the change is not enough.",
    Verdict.CRASHED: "The test run died before its end. Nothing may end the process or cut the run short.",
    Verdict.TIMED_OUT: "The test run did not end in time. Look for an endless loop or a wait.",
    Verdict.FLAKY: (
        "A test passed and failed on the same code. Remove the cause: time, order, randomness or "
        "shared state."
    ),
    Verdict.UNREADABLE: (
        "The test run left no result that could be read. Leave the runner, its output and its reports alone."
    ),
    Verdict.TAMPERED: (
        "The code keeps its own tests from failing. Nothing may change how tests are run, compared or "
        "reported, or write test files while they run. Where the test command formats files, format them "
        "before you finish."
    ),
    Verdict.UNCOVERED: (
        "No test executes some of the lines that you wrote. Take out what no test asks for; tests are not yours "
        "to add."
    ),
    Verdict.AGENT_FAILED: (
        "The last run ended with an error before the work was done. Begin again from the current files."
    ),
}

BY_PHASE: dict[tuple[str, Verdict], str] = {
    (
        "red",
        Verdict.BREAKS_EXISTING,
    ): "Existing tests failed or vanished. Add your test without disturbing them.",
    (
        "red",
        Verdict.FLAKY,
    ): "The new test did not fail each time. It must fail for the same reason on every run.",
    ("red", Verdict.BUILD_ERROR): FEEDBACK[Verdict.INVALID_TEST],
    ("refactor", Verdict.BREAKS_EXISTING): (
        "The refactoring broke tests and was rolled back to the state before it. Take a smaller "
        "step, or change nothing."
    ),
    ("refactor", Verdict.BUILD_ERROR): (
        "The refactored code did not build and was rolled back to the state before it. Take a "
        "smaller step, or change nothing."
    ),
    (
        "fix",
        Verdict.BREAKS_EXISTING,
    ): "Tests that passed before fail with this change. Fix what broke them, or take another way.",
    (
        "fix",
        Verdict.FORBIDDEN_CHANGE,
    ): "Files were changed that a fix may not touch. Put them back as they were, and leave them alone.",
    ("refactor", Verdict.NO_CHANGE): FEEDBACK[Verdict.UNCHANGED],
}
"""Where a phase says it in other words."""


READERS = frozenset({"analyze", "test_list"})
"""Phases that change nothing: an order to whoever tried before is none for them."""


def sentence(phase: str, verdict: Verdict) -> str:
    """What is to be done otherwise this time; empty for a phase that only reads."""
    if phase in READERS:
        return ""
    return BY_PHASE.get((phase, verdict), FEEDBACK[verdict])
