"""Wait for a person's work: until Enter, or (with --watch) until a file is saved."""

from __future__ import annotations

import os
import select
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click

from tdd_orchestrator.cli.render import echo_wrapped

_POLL = 0.3  # seconds between two looks at the files
_SKIPPED = frozenset({".git", "__pycache__", "node_modules", ".venv", "venv", ".pytest_cache", "target"})


def wait_for_enter(tree: Path, close: Callable[[], None]) -> Callable[[], None]:
    """Return a wait that ends with Enter; `e` and Enter opens $EDITOR on the tree first.

    It raises EOFError where no person can answer.
    """

    def wait() -> None:
        close()
        editor = _editor()
        offer = f", or e and Enter to open {editor}" if editor else ""
        while True:
            click.echo(f"Press Enter when you are done{offer} ... ", err=True, nl=False)
            if not _opened(editor, tree):
                return

    return wait


def wait_for_save(tree: Path, close: Callable[[], None]) -> Callable[[], None]:
    """Return a wait that ends when a file of the tree was saved, or with Enter (nothing is to be changed).

    `e` and Enter opens $EDITOR on the tree first. It raises EOFError where no person can answer.
    """

    def wait() -> None:
        close()
        before = _marks(tree)  # what is saved once the line below is read counts
        editor = _editor()
        offer = f" e and Enter: open {editor}." if editor else ""
        text = f"Watching: your work is judged when you save a file. Enter: judge it now.{offer}"
        echo_wrapped(text, err=True)
        while True:
            ready, _, _ = select.select([sys.stdin], [], [], _POLL)
            if ready and not _opened(editor, tree):
                return
            now = _marks(tree)
            if now != before:
                time.sleep(_POLL)  # an editor may be writing several files
                if _marks(tree) == now:
                    return

    return wait


def _editor() -> str:
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""


def _opened(editor: str, tree: Path) -> bool:
    """Read a line of the person's, and return whether it asked for the editor, which has ended by now. Raise
    EOFError where no line comes."""
    answer = sys.stdin.readline()
    if not answer:
        raise EOFError
    asked = bool(editor) and answer.strip() == "e"
    if asked:
        _open(editor, tree)
    return asked


def _open(editor: str, tree: Path) -> None:
    from tdd_orchestrator import process

    try:
        process.attached([*shlex.split(editor), str(tree)], cwd=tree, env=os.environ)
    except (OSError, ValueError) as error:
        echo_wrapped(f"The editor could not be started ({error}).", err=True)


def _marks(tree: Path) -> dict[str, tuple[int, int]]:
    """Path -> (time, size) of every file of a tree, without what builds and tests leave there."""
    found = {}
    for folder, folders, files in os.walk(tree):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        for name in files:
            path = os.path.join(folder, name)
            try:
                facts = os.lstat(path)
            except FileNotFoundError:
                continue  # removed meanwhile: the next look shows it
            found[path] = (facts.st_mtime_ns, facts.st_size)
    return found
