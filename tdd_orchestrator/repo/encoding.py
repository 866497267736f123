"""Trees and commits as git encodes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tdd_orchestrator.model.errors import Refused

Entry = tuple[int, str]
"""(mode, object id); modes as git has them: 0o100644, 0o100755, 0o120000, 0o40000, 0o160000."""

TREE_MODE = 0o40000
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, parsed. ``author`` and ``committer`` are git's lines: name <mail> seconds zone."""

    tree: str
    parents: tuple[str, ...]
    author: str
    committer: str
    message: str


def tree_bytes(entries: Mapping[bytes, Entry]) -> bytes:
    rows = []
    for name, (mode, oid) in entries.items():
        if not name or b"/" in name or b"\0" in name or name.lower() in {b".", b"..", b".git", b"git~1"}:
            raise Refused(f"{name!r} cannot be a name in a git tree.")
        rows.append(
            (name + b"/" if mode == TREE_MODE else name, b"%o %s\0%s" % (mode, name, bytes.fromhex(oid)))
        )
    rows.sort()
    return b"".join(row for _, row in rows)


def parse_tree(data: bytes) -> Iterator[tuple[bytes, Entry]]:
    at = 0
    while at < len(data):
        end = data.index(b"\0", at)
        mode, _, name = data[at:end].partition(b" ")
        yield name, (int(mode, 8), data[end + 1 : end + 21].hex())
        at = end + 21


def parse_commit(data: bytes) -> Commit:
    head, _, message = data.partition(b"\n\n")
    fields: dict[str, list[str]] = {}
    for line in head.decode("utf-8", "replace").split("\n"):
        key, _, value = line.partition(" ")
        fields.setdefault(key, []).append(value)
    return Commit(
        fields["tree"][0],
        tuple(fields.get("parent", ())),
        fields["author"][0],
        fields["committer"][0],
        message.decode("utf-8", "replace"),
    )
