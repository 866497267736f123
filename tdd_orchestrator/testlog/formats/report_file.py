"""Read a report file: detect its format, and reject it when it is stale or incomplete."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.testlog.formats.json_reports import from_json
from tdd_orchestrator.testlog.formats.pytest_events import is_events, read_events
from tdd_orchestrator.testlog.formats.xml import Refused
from tdd_orchestrator.testlog.formats.xml_tables import read_xml, root_of
from tdd_orchestrator.testlog.parsers.lines import all_lines
from tdd_orchestrator.testlog.parsers.tap import TapReader
from tdd_orchestrator.testlog.reading import Reading

_JSON_LIMIT = 128 << 20  # bytes: JSON has to be held whole
_SLACK = 2.0  # seconds that a file system's clock may be coarse
_TAP = re.compile(rb"^(?:TAP version 1\d|1\.\.\d+|(?:not )?ok \d+)")

Read = tuple[Reading | None, tuple[str, ...]]


def read_report(path: Path, not_before: float) -> Read:
    """Return the reading (None if stale or unknown), and a sentence for each problem with the file."""
    try:
        facts = path.stat()
        if not facts.st_size:
            return None, (f"{path.name}: the report is empty",)
        if not_before and facts.st_mtime < not_before - _SLACK:
            return None, (f"{path.name}: the report is older than the run, and was ignored",)
        return _by_format(path, facts.st_size)
    except Refused as error:
        return None, (f"{path.name}: the report was not read: {error}",)
    except OSError as error:
        raise_if_of_machine(error)
        return None, (f"{path.name}: no report: {error.strerror or error}",)


def _by_format(path: Path, size: int) -> Read:
    with path.open("rb") as file:
        head = file.read(8_192)
    text = head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").replace(b"\0", b"")
    if text.startswith(b"<"):
        return _xml(path, text)
    if is_events(text):
        return _events(path)
    if text.startswith((b"{", b"[")):
        return _json(path, size)
    if _TAP.match(text):
        reader = TapReader()
        for line in all_lines(path):
            reader.feed(line)
        return reader.finish(), ()
    return None, (f"{path.name}: the report is in no format that is known",)


def _events(path: Path) -> Read:
    try:
        return read_events(path), ()
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return None, (
            f"{path.name}: the events are not as the reporter writes them ({type(error).__name__})",
        )


def _xml(path: Path, head: bytes) -> Read:
    found = read_xml(path, head)
    if found is None:
        return None, (f"{path.name}: the report is XML, but no test report (<{root_of(head)}>)",)
    reading, problem = found
    return reading, (f"{path.name}: {problem}",) if problem else ()


def _json(path: Path, size: int) -> Read:
    if size > _JSON_LIMIT:
        return None, (f"{path.name}: the report is too large to be read as JSON ({size} bytes)",)
    try:
        found = from_json(json.loads(path.read_bytes()))
    except (ValueError, RecursionError):
        return None, (f"{path.name}: the report is not whole JSON",)
    if found is None:
        return None, (f"{path.name}: the report is JSON, but in no format that is known",)
    return found[1], ()
