"""Lend clean work trees to audits, one process each; they are kept because their set-up may be slow."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tdd_orchestrator.model.errors import Refused, raise_if_of_machine

_MOST = 256


@contextmanager
def slots(folder: Path, wanted: int) -> Iterator[list[Path]]:
    """Yield ``wanted`` free folders below ``folder``, locked until the end.

    The lock lies beside a folder ``NAME``; its logs (``NAME.logs``) are removed at the end.
    """
    with ExitStack() as stack:
        found: list[Path] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for number in range(1, _MOST + 1):
                if len(found) == wanted:
                    break
                file = stack.enter_context(open(folder / f"{number}.lock", "wb"))
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                found.append(folder / str(number))
                stack.callback(shutil.rmtree, logs(found[-1]), ignore_errors=True)
        except OSError as error:
            raise_if_of_machine(error)
            raise Refused(
                f"The folder {folder} cannot be written ({error.strerror}).",
                "Make it writable, or set TDD_STATE_DIR to a folder that is.",
            ) from error
        yield found


def logs(slot: Path) -> Path:
    """Return the folder for output and reports of the runs in a slot."""
    return slot.with_name(f"{slot.name}.logs")
