"""Check shared manifests: keys that configure tests must not change, others may. Pure."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

from tdd_orchestrator.workspace.code_manifests import UNREAD, elements, is_code, statements


def configures(name: str, before: str | None, after: str | None, keys: Sequence[str]) -> str:
    """Return why a manifest's change is forbidden, or "".

    A shared manifest (pyproject.toml, package.json ...) may change, except in keys that configure
    tests.
    """
    was, now = _parse(name, before or "", keys), _parse(name, after or "", keys)
    if was is None or now is None or was.get(UNREAD) != now.get(UNREAD):
        return "it configures how tests run, and its change cannot be told apart"
    for key in keys:
        if _at(was, key) != _at(now, key):
            return f"its '{key}' configures how tests run"
    return ""


def _parse(name: str, text: str, keys: Sequence[str]) -> dict[str, Any] | None:
    if is_code(name):
        return statements(name, text, keys)
    try:
        if name.endswith(".xml"):
            return elements(text)
        if name.endswith(".toml"):
            return tomllib.loads(text)
        if name.endswith(".json"):
            loaded = json.loads(text or "{}")
            return loaded if isinstance(loaded, dict) else None
        if name.endswith((".cfg", ".ini")):
            return _sections(text)
    except (ValueError, RecursionError):
        return None
    return {"": text}


def _sections(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    current = ""
    for line in text.splitlines():
        head = re.match(r"\s*\[([^\]]+)\]", line)
        if head:
            current = head.group(1).strip()
        found.setdefault(current, []).append(line.rstrip())
    return found


def _at(data: dict[str, Any], dotted: str) -> Any:
    """Return the value at a dotted key; with a trailing ``*``, of all keys with that prefix."""
    if dotted in data:
        return data[dotted]
    if dotted.endswith("*"):
        parent, _, prefix = dotted[:-1].rpartition(".")
        holder = _at(data, parent) if parent else data
        if not isinstance(holder, dict):
            return None
        return {key: value for key, value in holder.items() if key.startswith(prefix)}
    here: Any = data
    for part in dotted.split("."):
        if not isinstance(here, dict) or part not in here:
            return None
        here = here[part]
    return here
