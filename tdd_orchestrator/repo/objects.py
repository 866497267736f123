"""Git objects without a process each: written as loose files, read from them, from packs, or through one
lasting git."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import stat
import subprocess
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import count, islice
from pathlib import Path

from tdd_orchestrator.model.errors import Paused, Refused, StoreDamaged
from tdd_orchestrator.repo.encoding import (
    EMPTY_TREE,
    TREE_MODE,
    Commit,
    Entry,
    parse_commit,
    parse_tree,
    tree_bytes,
)
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.packs import Packs

Found = tuple[str, str, bytes]
"""(id, kind, content)"""


class Reader:
    """Started with the first question; ended by ``close``, or by itself when its input closes."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._child: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        child.kill()  # it only reads; its orderly end would have to be waited for
        child.wait()

    def ask(self, names: Sequence[str]) -> list[Found | None]:
        """What each name (an id, a ref, ``REF:path``) means, or None; at most a few hundred at a time.

        StoreDamaged where an object is there and cannot be read.
        """
        if any("\n" in name for name in names):
            raise ValueError("a name of an object has no line feed")
        child = self._running()
        assert child.stdin is not None
        with ExitStack() as undo:
            undo.callback(self.close)  # broken off, it has still to say what would be taken for other answers
            try:
                child.stdin.write(os.fsencode("".join(f"{name}\n" for name in names)))
                child.stdin.flush()
                answers = [self._answer(child, name) for name in names]
            except BrokenPipeError as error:
                raise StoreDamaged("git cat-file ended before it had answered.", "Run git fsck.") from error
            undo.pop_all()
        return answers

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self.close()
            self._child = self._git.start("cat-file", "--batch", stderr=False)
        return self._child

    def _answer(self, child: subprocess.Popen[bytes], name: str) -> Found | None:
        assert child.stdout is not None
        head = child.stdout.readline()
        words = head.split()
        if len(words) == 3 and words[2].isdigit():
            data = child.stdout.read(int(words[2]))
            if len(data) == int(words[2]) and child.stdout.read(1) == b"\n":
                return words[0].decode(), words[1].decode(), data
        elif head.endswith((b" missing\n", b" ambiguous\n")):
            return None
        raise StoreDamaged(f"The object {name} cannot be read.", "Run git fsck.")


_SYNC_RANGE = getattr(ctypes.CDLL(None), "sync_file_range", None)  # Linux only
_OID = re.compile(r"[0-9a-f]{40}")
_NUMBERS = count(1)  # of temporary files; one for the process, for there may be several Objects and threads
_RECENT = 128  # trees and commits kept in memory
_SMALL = 1 << 17  # bytes of the largest of them
_BATCH = 256  # object names in one go: less than a pipe holds, so that neither side waits for the other
_FEW = 24  # packed objects read without git
_HEADER = re.compile(rb"([a-z]{3,10}) (\d{1,20})\0")


class Objects:
    """Objects of one repository. ``sync``: every object is on the disk before its name is given out."""

    def __init__(self, git: Git, *, sync: bool = True) -> None:
        self._root = git.common_dir / "objects"
        self._sync = sync
        self._reader = Reader(git)
        self._packs = Packs(self._root)
        self._from_packs = 0
        self._mode: int | None = None
        self._recent: dict[str, tuple[str, bytes]] = {}

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the reading child and let go of the packs; the next read begins anew."""
        self._reader.close()
        self._packs.close()

    # writing

    def write(self, kind: str, data: bytes) -> str:
        """Store an object, return its id. Paused where the disk does not take it."""
        header = b"%s %d\0" % (kind.encode(), len(data))
        digest = hashlib.sha1(header, usedforsecurity=False)
        digest.update(data)
        oid = digest.hexdigest()
        if kind != "blob":
            self._remember(oid, kind, data)
        path = f"{self._root}/{oid[:2]}/{oid[2:]}"
        try:
            os.utime(path)  # there already: made young, so that a gc now running spares it
        except FileNotFoundError:
            packer = zlib.compressobj(1)
            body = packer.compress(header) + packer.compress(data) + packer.flush()
            try:
                self._place(path, body)
            except OSError as error:
                raise cannot_write(self._root, error) from error
        except OSError as error:
            raise cannot_write(self._root, error) from error
        return oid

    def _place(self, path: str, body: bytes) -> None:
        folder = os.path.dirname(path)
        temporary = f"{folder}/tmp_obj_{os.getpid():x}_{next(_NUMBERS):x}"  # the prefix that git gc sweeps
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            descriptor = os.open(temporary, flags, 0o444)
        except FileNotFoundError:
            self._make_folder(folder)
            descriptor = os.open(temporary, flags, 0o444)
        except FileExistsError:  # left by a dead process that had our number
            os.unlink(temporary)
            descriptor = os.open(temporary, flags, 0o444)
        with ExitStack() as undo:
            undo.callback(os.unlink, temporary)
            try:
                view = memoryview(body)
                while view:
                    view = view[os.write(descriptor, view) :]
                if self._sync:
                    _write_out(descriptor)
            finally:
                os.close(descriptor)
            os.rename(temporary, path)
            undo.pop_all()

    def _make_folder(self, folder: str) -> None:
        """As wide as ``objects`` itself, for repositories that a group shares."""
        if self._mode is None:
            self._mode = stat.S_IMODE(os.stat(self._root).st_mode)
        with suppress(FileExistsError):
            os.mkdir(folder)
            if self._mode & stat.S_ISGID:
                os.chmod(folder, self._mode)

    def write_blob(self, data: bytes) -> str:
        return self.write("blob", data)

    def write_tree(self, entries: Mapping[bytes, Entry]) -> str:
        """A tree from name -> (mode, id), sorted as git sorts. Refused for names that git must not hold."""
        return self.write("tree", tree_bytes(entries))

    def write_commit(
        self, tree: str, parents: Iterable[str], message: str, *, author: str, committer: str = ""
    ) -> str:
        """``author`` and ``committer`` are git's lines: name <mail> seconds zone."""
        head = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        head += [f"author {author}", f"committer {committer or author}"]
        text = "\n".join(head) + "\n\n" + message.replace("\0", "")
        return self.write("commit", text.encode("utf-8", "replace"))

    # reading

    def read(self, name: str) -> tuple[str, bytes]:
        """(kind, content) of an object id. StoreDamaged where it is missing or cannot be read."""
        found = self.find(name)
        if found is None:
            raise missing(name)
        return found[1], found[2]

    def find(self, name: str) -> Found | None:
        """(id, kind, content) of whatever ``name`` means to git (an id, a ref, ``REF:path``), or None."""
        if not _OID.fullmatch(name):
            return self._reader.ask([name])[0]
        held = self._recent.get(name) or self._loose(name) or self._packed(name)
        found = (name, *held) if held else self._reader.ask([name])[0]
        if found and found[1] != "blob":
            self._remember(*found)
        return found

    def _remember(self, oid: str, kind: str, data: bytes) -> None:
        """Trees and commits last read or written: what is written next is built on them. They never
        change."""
        if len(self._recent) >= _RECENT:
            self._recent.clear()
        if len(data) <= _SMALL:
            self._recent[oid] = kind, data

    def _packed(self, oid: str) -> tuple[str, bytes] | None:
        """The first few without git, whose start costs as much as thirty of them; it is faster at many."""
        if self._from_packs == _FEW:
            return None
        self._from_packs += 1
        return self._packs.find(oid)

    def _loose(self, oid: str) -> tuple[str, bytes] | None:
        try:
            with open(f"{self._root}/{oid[:2]}/{oid[2:]}", "rb", buffering=0) as file:
                raw = zlib.decompress(file.readall())
        except OSError:
            return None
        except zlib.error:
            return None  # git says what is wrong with it, or has it in a pack as well
        header = _HEADER.match(raw)
        if header is None or int(header[2]) != len(raw) - header.end():
            return None
        return header[1].decode(), raw[header.end() :]

    def read_kind(self, oid: str, kind: str) -> bytes:
        """The content of an object that must be of this kind."""
        if oid == EMPTY_TREE:
            return b""
        found, data = self.read(oid)
        if found != kind:
            raise StoreDamaged(f"The object {oid} is a {found}, not a {kind}.", "Run git fsck.")
        return data

    def read_tree(self, oid: str) -> dict[bytes, Entry]:
        return dict(parse_tree(self.read_kind(oid, "tree")))

    def read_commit(self, oid: str) -> Commit:
        return parse_commit(self.read_kind(oid, "commit"))

    def read_many(self, oids: Iterable[str]) -> Iterator[bytes]:
        """The contents of many objects, in order. StoreDamaged where one is missing."""
        todo = iter(oids)
        while batch := list(islice(todo, _BATCH)):
            for oid, found in zip(batch, self.find_many(batch), strict=True):
                if found is None:
                    raise missing(oid)
                yield found[2]

    def find_many(self, names: Sequence[str]) -> list[Found | None]:
        """As :meth:`find` for at most 256 names: many are asked at once, so that git is not waited for each time."""
        return [self.find(name) for name in names] if len(names) <= _FEW else self._reader.ask(names)

    # editing

    def edit_tree(self, tree: str, changes: Mapping[bytes, Entry | None]) -> str:
        """The tree with paths (bytes, ``/`` between names) set, or removed where None; empty folders go."""
        nested: dict[bytes, object] = {}
        for path, entry in changes.items():
            *folders, name = path.split(b"/")
            level = nested
            for folder in folders:
                below = level.setdefault(folder, {})
                if not isinstance(below, dict):
                    raise Refused(f"{path!r} lies below a file that is changed as well.")
                level = below
            if isinstance(level.get(name), dict):
                raise Refused(f"{path!r} is a folder of another changed file.")
            level[name] = entry
        return self._edit(tree, nested) or EMPTY_TREE if nested else tree

    def _edit(self, tree: str | None, changes: Mapping[bytes, object]) -> str | None:
        entries = self.read_tree(tree) if tree else {}
        for name, change in changes.items():
            if isinstance(change, dict):
                before = entries.get(name)
                below = self._edit(before[1] if before and before[0] == TREE_MODE else None, change)
                if below is None:
                    if before is not None and before[0] == TREE_MODE:
                        del entries[name]
                else:
                    entries[name] = (TREE_MODE, below)
            elif change is None:
                entries.pop(name, None)
            else:
                assert isinstance(change, tuple)
                entries[name] = change
        return self.write_tree(entries) if entries else None


def _write_out(descriptor: int) -> None:
    """Start the data's way to the disk and wait for it, without a flush of the disk's cache (0.2 ms each).

    The flush comes with the ref, which git syncs: the journal keeps the order. It is git's own
    fsyncMethod=batch.
    """
    if _SYNC_RANGE is None or _SYNC_RANGE(descriptor, ctypes.c_int64(0), ctypes.c_int64(0), 7) != 0:
        os.fsync(descriptor)


def missing(name: str) -> StoreDamaged:
    return StoreDamaged(
        f"The object {name} is missing from the repository.", "Run git fsck; fetch it from a clone."
    )


def cannot_write(where: Path, error: OSError) -> Paused:
    """Full disk, read-only file system, no permission, input/output error: nothing is lost, and it can go on
    later."""
    return Paused(
        f"Git's object folder {where} cannot be written: {error.strerror}.",
        "Make room or set the permissions right, then run the same command; it goes on where it was.",
    )
