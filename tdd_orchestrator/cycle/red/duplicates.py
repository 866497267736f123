"""Find new tests that an existing test makes already: the same name in the same file, or the same body
(E5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tdd_orchestrator.cycle.attempt.candidate import file_at, paths_of
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.red.test_changes import TestEdits
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.languages.source import SourceTest, find_tests
from tdd_orchestrator.workspace.guard import is_test

_NUMBERED = re.compile(r"#\d+$")
_PLAIN = re.compile(r"[a-rt-z_]\w{3,}")
_READ = 1 << 20  # bytes of a test file


def repeats(context: CycleContext, state: CycleState, edits: TestEdits) -> Iterator[tuple[str, str]]:
    """Return (new test, existing test) pairs.

    Bodies are compared within the same groups only: their set-up differs.
    """
    for test in edits.added:
        first = _NUMBERED.sub("", test.id)
        if first != test.id and any(one.id == first for one in edits.after):
            yield test.id, first
    asserting = [test for test in edits.added if test.assertions]
    if not asserting:
        return
    removed = edits.removed_ids
    for path in paths_of(context.repo, state.tip):
        if not is_test(path, context.project.rules):
            continue
        text = (file_at(context.repo, state.tip, path) or b"")[:_READ].decode("utf-8", "replace")
        alike = [test for test in asserting if all(word in text for word in _words(test))]
        old = {(one.title[:-1], one.body): one.id for one in find_tests(text, path)} if alike else {}
        for test in alike:
            known = old.get((test.title[:-1], test.body), "")
            if known and known not in removed:
                yield test.id, known


def _words(test: SourceTest) -> list[str]:
    """Words that a file with the same body must have: neither local names nor marks of strings and of
    indentation."""
    return [word for word in test.body.split() if _PLAIN.fullmatch(word)]
