"""The negative control: a test that must fail, planted beside a real one for the length of one run."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.runners.control_loads import loads
from tdd_orchestrator.runners.framework import Control, Framework, matches

_NOUNS = (
    "amount", "basket", "border", "bottle", "bridge", "candle", "carbon", "circle", "column", "corner", "cotton",
    "device", "engine", "fabric", "filter", "folder", "garden", "glass", "harbor", "hammer", "island", "jacket",
    "kernel", "ladder", "latch", "letter", "margin", "market", "mirror", "needle", "object", "orange", "packet",
    "pencil", "planet", "pocket", "quarry", "ribbon", "sample", "saddle", "shadow", "signal", "silver", "spiral",
    "square", "stream", "summer", "switch", "ticket", "tunnel", "valley", "vector", "velvet", "window", "winter",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Planted:
    """Where the control stands (relative to the tree), and what its test is called."""

    path: str
    leaf: str


def template_for(framework: Framework, near: str, text: str) -> Control | None:
    """The row's template for a neighbour at ``near`` with that text; None where no control can be taken along."""
    for one in framework.controls:
        if near and matches(near, one.near) and (not one.needs or re.search(one.needs, text, re.MULTILINE)):
            return one
    return None


def fits(framework: Framework, tree: Path, near: str) -> bool:
    """Whether a control can be planted beside this file of ``tree``."""
    return bool(framework.controls) and template_for(framework, near, _neighbour(tree, near)) is not None


@contextlib.contextmanager
def planted(framework: Framework, tree: Path, near: str) -> Iterator[Planted | None]:
    """Plant a control beside ``near`` (a test file, relative to ``tree``) and take it away again, come what may."""
    text = _neighbour(tree, near) if near and framework.controls else ""
    control = template_for(framework, near, text)
    if control is None:
        yield None
        return
    values = {**_values(control, near, text), **loads(tree, near, text)}
    folder = tree / (_beside_src(near, control.into) if control.into else os.path.dirname(near))
    made = not folder.exists()
    path = folder / _fill(control.file, values)
    _write(path, _fill(control.content, values), tree)
    try:
        yield Planted(path.relative_to(tree).as_posix(), _fill(control.leaf, values))
    finally:
        path.unlink(missing_ok=True)
        if made:
            with contextlib.suppress(OSError):  # something else was put there: not ours to remove
                folder.rmdir()


def _values(control: Control, near: str, text: str) -> dict[str, str]:
    words = _words(text)
    package = re.search(control.package, text, re.MULTILINE) if control.package else None
    name = os.path.basename(near)
    borrowed = {key: re.search(pattern, text) for key, pattern, _ in control.borrow}
    return {
        **{
            key: found.group(1) if (found := borrowed[key]) else default for key, _, default in control.borrow
        },
        "word": "_".join(words),
        "Word": "".join(word.title() for word in words),
        "package": package.group(1) if package else "",
        "stem": _stem(name.split(".")[0], "_".join(words)),
        "suffix": name[name.index(".") :] if "." in name else "",
        "left": str(secrets.randbelow(400) + 2),
        "right": str(secrets.randbelow(400) + 500),
    }


def _stem(neighbour: str, word: str) -> str:
    """A name that runners take for a test's where they take the neighbour's: ``test``, ``test-sum``, ``sum_test``."""
    before = re.match(r"tests?(?:[-_]|$)", neighbour)
    after = re.search(r"[-_](?:test|spec)s?$", neighbour)
    if before:
        return f"{before[0].rstrip('-_')}{'_' if before[0].endswith('_') else '-'}{word}"
    return f"{word}{after[0]}" if after else word


def _beside_src(near: str, into: str) -> str:
    head = near.split("src/", 1)[0] if near.startswith("src/") or "/src/" in near else ""
    return head + into


def _fill(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def _words(taken: str) -> list[str]:
    """Three words that look like anyone's, of which no two neighbours in the file stand together."""
    while True:
        words = [secrets.choice(_NOUNS) for _ in range(3)]
        if "_".join(words) not in taken:
            return words


def _neighbour(tree: Path, near: str) -> str:
    """The text of the neighbour, read without following a link out of the tree."""
    path = tree / near
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(1 << 16).decode("utf-8", "replace")


def _write(path: Path, text: str, tree: Path) -> None:
    """Write a new file inside the tree; a folder that is a link elsewhere, or a file that exists, is an error."""
    if os.path.commonpath([os.path.realpath(path.parent), os.path.realpath(tree)]) != os.path.realpath(tree):
        raise FileNotFoundError(f"{path.parent}: leads out of the tree")
    path.parent.mkdir(exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o644)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
