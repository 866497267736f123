"""Which of the XML formats a document has, by its root: JUnit's, those of .NET, those of a runner of its
own."""

from __future__ import annotations

import re
from pathlib import Path

from tdd_orchestrator.testlog.formats import dotnet, junit, xml_tables
from tdd_orchestrator.testlog.reading import Reading

_ROOT = re.compile(rb"<(?:[\w.-]{1,60}:)?([A-Za-z][\w.-]{0,60})[\s/>]")
_PROLOGUE = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.DOTALL)


def root_of(head: bytes) -> str:
    """The root's name, in the beginning of a document."""
    found = _ROOT.search(_PROLOGUE.sub(b"", head))
    return found[1].decode("ascii") if found else ""


def read_xml(source: Path | bytes, head: bytes) -> tuple[Reading, str] | None:
    """The reading, and what is wrong with the file as a file; None where it is no report that is known.
    Raises Refused, OSError."""
    root = root_of(head)
    for form in xml_tables.FORMATS:
        if root in form.roots and form.mark.search(head):
            return xml_tables.read_tabled(source, form)
    if root in junit.ROOTS:
        return junit.read_junit(source)
    return dotnet.read_dotnet(source, root) if root in dotnet.FORMATS else None
