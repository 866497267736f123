"""Trees and commits as git encodes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tdd_orchestrator.model.errors import Refused, StoreDamaged

Entry = tuple[int, str]
"""(mode, object id); modes as git has them: 0o100644, 0o100755, 0o120000, 0o40000, 0o160000."""

TREE_MODE = 0o40000
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


_ENTRY = re.compile(rb"([0-7]{5,6}) ([^\0]{1,4096})\0(.{20})", re.S)
_FORBIDDEN = frozenset({b".", b".."})
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""What HFS+ passes over in a name; with a code point more than git has."""
_SHORT = re.compile(r"(git|gitmod|gi7eba|gitatt|gi7d29|gitign|gi250a|mailma|maba30)~\d+")
"""NTFS makes such a second name for a long one, with a checksum in it where the first few are taken."""
_LONG = {
    "git": ".git", "gitmod": ".gitmodules", "gi7eba": ".gitmodules", "gitatt": ".gitattributes",
    "gi7d29": ".gitattributes",
    "gitign": ".gitignore", "gi250a": ".gitignore", "mailma": ".mailmap", "maba30": ".mailmap",
}  # fmt: skip
_GIT_NAMES = frozenset(_LONG.values())


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, parsed. ``author`` and ``committer`` are git's lines: name <mail> seconds zone."""

    tree: str
    parents: tuple[str, ...]
    author: str
    committer: str
    message: str


def git_name(name: str) -> str:
    """Which of git's own names a file of this name has, here or on another's disk: Windows and macOS drop
    some of it."""
    for piece in name.split("\\"):
        seen = _INVISIBLE.sub("", piece).casefold().partition(":")[0].rstrip(". ")
        short = _SHORT.fullmatch(seen)
        seen = _LONG[short[1]] if short else seen
        if seen in _GIT_NAMES:
            return seen
    return ""


def _forbidden(name: bytes) -> bool:
    if not name or b"/" in name or b"\0" in name or name in _FORBIDDEN:
        return True
    # few names begin so, and only they are looked at
    suspect = name[0] in b".gG\xe2\xef" or b"\\" in name
    return suspect and git_name(name.decode("utf-8", "replace")) == ".git"


def tree_bytes(entries: Mapping[bytes, Entry]) -> bytes:
    """A tree, sorted as git sorts. Refused for names that git must not hold."""
    rows = []
    for name, (mode, oid) in entries.items():
        if _forbidden(name):
            raise Refused(f"{name!r} cannot be a name in a git tree.")
        rows.append(
            (name + b"/" if mode == TREE_MODE else name, b"%o %s\0%s" % (mode, name, bytes.fromhex(oid)))
        )
    rows.sort()
    return b"".join(row for _, row in rows)


def parse_tree(data: bytes) -> list[tuple[bytes, Entry]]:
    rows = _ENTRY.findall(data)
    if sum(len(mode) + len(name) + 22 for mode, name, _ in rows) != len(data):
        raise StoreDamaged("A tree cannot be read.", "Run git fsck.")
    return [(name, (int(mode, 8), oid.hex())) for mode, name, oid in rows]


def entry_at(data: bytes, name: bytes) -> tuple[int, int] | None:
    """Where the entry of that name begins and ends in an encoded tree; no other entry is looked at."""
    wanted = b" " + name + b"\0"
    at = -1
    while (at := data.find(wanted, at + 1)) >= 0:
        # An entry begins where the tree does, or 20 bytes behind the NUL of the one before. Six digits first:
        # what
        # stands one byte before a mode of five has a letter of a name there, never a NUL; the other way round
        # an
        # id that begins with a zero byte would pass for that NUL.
        for begin in (at - 6, at - 5):
            if (
                begin >= 0
                and data[begin:at].isdigit()
                and (begin == 0 or (begin >= 21 and data[begin - 21] == 0))
            ):
                return begin, at + len(wanted) + 20
    return None


def entry(data: bytes, name: bytes) -> Entry | None:
    """The entry of that name in an encoded tree."""
    place = entry_at(data, name)
    if place is None:
        return None
    begin, end = place
    return int(data[begin : data.index(b" ", begin)], 8), data[end - 20 : end].hex()


def with_entry(data: bytes, name: bytes, value: Entry) -> bytes:
    """The encoded tree with one entry set; a name that is there must keep its kind (file or folder)."""
    row = b"%o %s\0%s" % (value[0], name, bytes.fromhex(value[1]))
    place = entry_at(data, name)
    if place is not None:
        return data[: place[0]] + row + data[place[1] :]
    key = name + b"/" if value[0] == TREE_MODE else name
    for found in _ENTRY.finditer(data):
        if (found[2] + b"/" if found[1] == b"40000" else found[2]) > key:
            return data[: found.start()] + row + data[found.start() :]
    return data + row


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
