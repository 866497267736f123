"""What of an agent's files becomes no object: an attempt that is refused is kept all the same, and sent by
`tdd sync`."""

from __future__ import annotations

from collections.abc import Callable

from tdd_orchestrator.prompting.secrets import Redact, is_key_like
from tdd_orchestrator.redaction import keys
from tdd_orchestrator.text import plain
from tdd_orchestrator.workspace.collect import FileChange
from tdd_orchestrator.workspace.denied_paths import NEVER

_ASCII = bytes(range(128)) + b" " * 128
"""Keys are ASCII, and what stands beside them need not be text in any encoding: all else is a gap."""

_READ_BY_GIT = {name: dict(NEVER)[f"**/{name}"] for name in (".gitattributes", ".gitmodules")}


def of_content(
    file: FileChange, before: Callable[[], bytes], values: tuple[str, ...], redact: Redact
) -> tuple[bytes, str]:
    """Return the bytes to store for a file, and why they are not all of it.

    ``before`` is read only where the file holds a secret: one that was there before is allowed.
    """
    content = file.content or b""
    found = _secrets(content, values)
    new = found and {one: why for one, why in found.items() if one not in _secrets(before(), values)}
    if not new:
        return content, ""
    why = next(iter(new.values()))
    redacted = redact(content.decode("utf-8", "replace")).encode("utf-8", "replace")
    return (f"[withheld: {why}]\n".encode() if _secrets(redacted, values) else redacted), why


def of_path(file: FileChange, values: tuple[str, ...]) -> str:
    """Why a file is kept out altogether, or "". What git reads of itself is refused in any case, and an
    object of it that `git fsck` objects to would be sent with the attempt, or stop everything else from being
    sent."""
    name = file.path.rpartition("/")[2]
    return _READ_BY_GIT.get(name) or (of_name(file.path, values) if file.how == "new" else "")


def of_name(path: str, values: tuple[str, ...]) -> str:
    """Why nothing may have this name, or ""."""
    for text in {path, plain(path)}:
        for why in _secrets(text.encode("utf-8", "replace"), values).values():
            return why.replace("it ", "its name ", 1)
    return ""


def _secrets(data: bytes, values: tuple[str, ...]) -> dict[str, str]:
    """Secret -> why it may not be committed: it is a key by its shape, or the value of a secret of the
    user's."""
    found: dict[str, str] = {}
    # with the zero bytes, and without: in UTF-16 every other byte of a key is one
    for form in (data, data.replace(b"\0", b"")) if b"\0" in data else (data,):
        for kind, value in keys(form.translate(_ASCII).decode("ascii")):
            found[value] = f"it seems to hold a secret ({kind})"
        for value in values:
            if is_key_like(value) and value.encode("utf-8", "surrogateescape") in form:
                found[value] = "it holds the value of a secret variable"
    return found
