"""A record is one compact JSON line; a note is such lines, sorted. What cannot be read is told apart, never
dropped.

Keys ``at``, ``id``, ``v``, ``kind`` come first, in that order: sorting the lines as bytes (as git's
``cat_sort_uniq`` does) sorts them by time, and the last line is the commit's current state.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import isfinite
from types import NoneType
from typing import Any

from tdd_orchestrator.model.errors import NewerSchema, Refused, StoreDamaged

Record = dict[str, Any]

SCHEMA = 1
NOTE_LIMIT = 256 * 1024  # bytes of one note (docs: Bounds)
LINE_LIMIT = 64 * 1024  # bytes of one record: bulk evidence is a blob of its own, named in the record

Kinds = type | tuple[type, ...]
_FIRST = ("at", "id", "v", "kind", "prev")
_HELD: dict[str, Kinds] = {
    **dict.fromkeys(
        ("prev", "cycle_id", "item_id", "branch", "base", "tip", "phase", "next_phase", "verdict", "status",
            "candidate",
         "tree", "old", "new", "kept", "outcome", "commit", "fix_id", "error_id", "rebased", "error",
         "summary", "role",
         "fingerprint", "cured_by", "diff", "step", "decision", "gate", "source", "how"),
        str,
    ),
    **dict.fromkeys(("cycle_number", "attempt", "retry_count", "transient"), int),
    "wall": (int, float),
    **dict.fromkeys(
        ("tests", "baseline_tests", "agent", "error_details", "diagnosis", "move", "files_changed",
            "investigation",
         "request", "details", "mapping"),
        dict,
    ),
    **dict.fromkeys(
        ("reasons", "known_failing", "completed_items", "pending_items", "warnings", "results", "agents",
            "consulted",
         "outside"),
        list,
    ),
}  # fmt: skip
"""What readers take for granted of a field, where it is there: a note may be anybody's."""
_HELD_OF_RUNS: dict[str, Kinds] = {
    **dict.fromkeys(("tree", "key", "evidence", "evidence_sha256", "run_verdict", "framework"), str),
    **dict.fromkeys(("counts", "quarantined_until"), dict),
    **dict.fromkeys(("command", "target_tests", "failing_tests", "flaky_tests", "disagreements"), list),
}


def _finite(text: str) -> float:
    """A number as JSON writes it. ValueError for 1e999 and NaN: what is read must be fit to be written
    again."""
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text} is no number")
    return number


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line of a note that is no record: where it hangs, why, and the line itself (bounded)."""

    commit: str
    why: str
    line: str
    newer: bool = False

    def error(self) -> StoreDamaged:
        if self.newer:
            return NewerSchema(
                f"The note of {self.commit[:12]} was written by a later version of tdd ({self.why}).",
                "Install that version.",
            )
        return StoreDamaged(
            (
                f"The note of {self.commit[:12]} has a line that cannot be read ({self.why}): "
                f"{self.line[:80]!r}."
            ),
            f"Look at it, and take that line out: git notes --ref=tdd edit {self.commit[:12]}",
        )


@dataclass(frozen=True, slots=True)
class Note:
    """The note of one commit: its records, oldest first, the lines that are none, and what people wrote
    beside them."""

    commit: str
    records: tuple[Record, ...] = ()
    damaged: tuple[Damaged, ...] = field(default=())
    remarks: tuple[str, ...] = ()

    def strictly(self) -> tuple[Record, ...]:
        """The records; raises NewerSchema or StoreDamaged where a line could not be read."""
        for trouble in sorted(self.damaged, key=lambda one: not one.newer):
            raise trouble.error()
        return self.records


def encode(record: Mapping[str, Any]) -> bytes:
    """The canonical line, without its newline. Refused where it is too long or holds what JSON does not."""
    first = {key: record[key] for key in _FIRST if key in record}
    ordered = first | {key: value for key, value in record.items() if key not in first}
    try:
        text = json.dumps(ordered, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Refused(f"A record cannot be written as JSON: {error}.") from error
    line = text.encode("utf-8", "backslashreplace")  # a lone surrogate becomes its JSON escape
    if len(line) > LINE_LIMIT:
        raise Refused(
            f"A record of {len(line)} bytes is too long (limit {LINE_LIMIT}).", "Keep bulk as evidence."
        )
    return line


def digest(line: bytes) -> str:
    """What the next record's ``prev`` holds: SHA-256 of the line, in hexadecimal."""
    return hashlib.sha256(line).hexdigest()


def parsed_line(line: bytes | str) -> Record:
    """As :func:`decode_line`, whatever its fields hold: for an audit, which says of each what is wrong with
    it."""
    try:
        record = _json(line)
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON") from error
    return _versioned(record)


def _versioned(record: Any) -> Record:
    """The record of a version that we read, with the fields that every record has."""
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    version = record.get("v")
    if isinstance(version, int) and version > SCHEMA:
        raise NewerSchema(
            f"A record has schema {version}; this version of tdd reads {SCHEMA}.", "Install a later one."
        )
    for key in ("at", "id", "v", "kind"):
        if not isinstance(record.get(key), int if key == "v" else str):
            raise ValueError(f"no {key}")
    return record


def _json(line: bytes | str) -> Any:
    """As ``json.loads``, which of bytes first guesses the alphabet: what begins like a record of ours is
    UTF-8."""
    if isinstance(line, bytes):
        if line[:1] != b"{" or line[1:2] == b"\0":
            return json.loads(line, parse_float=_finite, parse_constant=_finite)
        line = line.decode("utf-8", "surrogatepass")
    return _DECODER.decode(line)


_LARGE = tuple(re.compile(rf"{e}(?<=[0-9.]{e})\+?[0-9]{{3,}}[\s,}}\]]") for e in "eE")
"""An exponent that may be beyond a float's range; each begins with a letter, so that text is skipped fast."""
_LONG = re.compile("[0-9]{4}")
"""Four digits in every 50th character: a number may be beyond that range by its length alone."""


def decode_fast(line: str) -> Record:
    """As :func:`decode_line`, in half the time: for reading a whole audit log. Its import takes as long as some
    hundred lines."""
    import pydantic_core

    if not (_LARGE[0].search(line) or _LARGE[1].search(line) or _LONG.search(line[::50])):
        try:
            return _checked(
                _versioned(pydantic_core.from_json(line, allow_inf_nan=False, cache_strings="keys"))
            )
        except (ValueError, TypeError):  # TypeError: half a character, which UTF-8 cannot hold
            pass
    return decode_line(line)


def decode_line(line: bytes | str) -> Record:
    """One record. ValueError says why it is none, or why nobody can read on in it; NewerSchema where a later
    version wrote it."""
    return _checked(parsed_line(line))


def _checked(record: Record) -> Record:
    """The record, whose fields hold what readers take for granted; ValueError names one that does not."""
    _check_kinds(tuple(record), tuple(map(type, record.values())))
    for key in ("tests", "baseline_tests"):
        if tests := record.get(key):
            _check_kinds(tuple(tests), tuple(map(type, tests.values())), of_runs=True)
    return record


@lru_cache(maxsize=256)
def _check_kinds(names: tuple[str, ...], kinds: tuple[type, ...], of_runs: bool = False) -> None:
    """ValueError names the first field with a wrong kind of value. Each kind of record has the same few lists of
    fields, so that nearly all were checked before."""
    held = _HELD_OF_RUNS if of_runs else _HELD
    for name, kind in zip(names, kinds, strict=True):
        if kind is not NoneType and not issubclass(kind, held.get(name, object)):
            raise ValueError(f"{name} is not what it should be")


def decode_note(data: bytes, commit: str = "") -> Note:
    """All lines of a note, sorted by time and id, each id once; blank lines are nothing."""
    records: dict[str, Record] = {}
    damaged = []
    remarks = []
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        if is_remark(line):
            remarks.append(line.decode("utf-8", "replace"))
            continue
        try:
            record = decode_line(line)
            records.setdefault(record["id"], record)
        except NewerSchema as error:
            damaged.append(Damaged(commit, error.what, _shown(line), newer=True))
        except ValueError as error:
            damaged.append(Damaged(commit, str(error), _shown(line)))
    ordered = sorted(records.values(), key=order) if len(records) > 1 else records.values()
    return Note(commit, tuple(ordered), tuple(damaged), tuple(remarks))


def is_remark(line: bytes) -> bool:
    """Whether a line of a note is somebody's own (`git notes add`): neither a record nor the remains of
    one."""
    if not line.lstrip().startswith(b"{"):
        return True
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not value.keys() & {"at", "id", "v", "kind"}


def _shown(line: bytes) -> str:
    return line[:512].decode("utf-8", "replace")


def order(record: Record) -> tuple[str, str]:
    return record["at"], record["id"]


def joined(lines: Iterable[bytes]) -> bytes:
    """A note from lines: people's own remarks in their order, then the records as ``cat_sort_uniq`` would
    leave them."""
    kept = [line for line in dict.fromkeys(lines) if line.strip()]
    remarks = [line for line in kept if not line.startswith(b"{")]
    records = sorted(line for line in kept if line.startswith(b"{"))
    return b"".join(line + b"\n" for line in (*remarks, *records))


def stamp(after: str = "") -> str:
    """Now in UTC, to the millisecond; later than ``after`` even where the clock went back, so that order
    holds."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if now > after:
        return now
    try:
        later = datetime.fromisoformat(after).astimezone(UTC) + timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        return now  # not a time of ours: there is no order to keep
    return later.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_id() -> str:
    """A ULID: 48 bits of milliseconds, 80 of chance, 26 characters that sort by time."""
    number = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10), "big")
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))
