"""Choose the reader of an XML report by its root element."""

from __future__ import annotations

import re
from pathlib import Path

from tdd_orchestrator.testlog.formats import dotnet, junit, xml_tables
from tdd_orchestrator.testlog.reading import Reading

_ROOT = re.compile(rb"<(?:[\w.-]{1,60}:)?([A-Za-z][\w.-]{0,60})[\s/>]")
_PROLOGUE = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.DOTALL)


def root_of(head: bytes) -> str:
    """Return the name of the root element from the head of a document."""
    found = _ROOT.search(_PROLOGUE.sub(b"", head))
    return found[1].decode("ascii") if found else ""


def read_xml(source: Path | bytes, head: bytes) -> tuple[Reading, str] | None:
    """Return the reading and what is wrong with the file; None if it is no known report.

    Raises Refused, OSError.
    """
    root = root_of(head)
    for form in xml_tables.FORMATS:
        if root in form.roots and form.mark.search(head):
            return xml_tables.read_tabled(source, form)
    if root in junit.ROOTS:
        return junit.read_junit(source)
    return dotnet.read_dotnet(source, root) if root in dotnet.FORMATS else None
