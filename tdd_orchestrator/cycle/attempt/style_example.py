"""Which existing test shows RED how tests are written here: the item's own test file, else the nearest file
with a test."""

from __future__ import annotations

from pathlib import PurePosixPath

from tdd_orchestrator.cycle.attempt.candidate import file_at, paths_of
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.workspace.guard import is_test

_READ = 20_000  # bytes of a file
_LOOKED_AT = 30  # files at most, the nearest first


def style_of(context: CycleContext, state: CycleState, item: Item) -> tuple[str, str]:
    """Return path and text of the example; both empty where no test exists yet."""
    from tdd_orchestrator.languages.source import find_tests

    paths = [path for path in paths_of(context.repo, state.tip) if is_test(path, context.project.rules)]
    for path in nearest(paths, item.test_file, item.impl_file)[:_LOOKED_AT]:
        text = (file_at(context.repo, state.tip, path) or b"")[:_READ].decode("utf-8", "replace")
        try:
            found = find_tests(text, path)
        except ValueError:
            continue
        if found:
            return path, text
    return "", ""


def nearest(paths: list[str], test_file: str, impl_file: str) -> list[str]:
    """Order test files by their nearness to where the new test belongs: the file itself, then shared folders
    and words."""

    def distance(path: str) -> tuple[bool, int, int, str]:
        here = PurePosixPath(path)
        wanted = PurePosixPath(test_file or impl_file)
        shared = sum(
            1 for one, other in zip(here.parts[:-1], wanted.parts[:-1], strict=False) if one == other
        )
        alike = bool(wanted.stem) and bool(impl_file) and PurePosixPath(impl_file).stem in here.stem
        return path != test_file, -int(alike), -shared, path

    return sorted(paths, key=distance)
