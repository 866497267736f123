"""Read pytest's own settings from the file in which pytest finds them."""

from __future__ import annotations

import configparser
import tomllib
from pathlib import Path
from typing import Any

from tdd_orchestrator.workspace.project_modules import text_of

_PLACES = (
    ("pytest.toml", "pytest"), (".pytest.toml", "pytest"),
    ("pytest.ini", "pytest"), (".pytest.ini", "pytest"),
    ("pyproject.toml", "tool.pytest.ini_options"), ("pyproject.toml", "tool.pytest"),
    ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"),
)  # fmt: skip
"""The files in pytest's order, each with its table. A file called after pytest counts without one."""


def pytest_settings(root: Path, key: str) -> list[str]:
    """Return the words of a setting in the first file that holds settings of pytest; none where it is not set, or
    the file cannot be read."""
    for name, table in _PLACES:
        path = root / name
        found = _table(text_of(path), table, toml=name.endswith(".toml"))
        if found or (path.is_file() and "pytest" in name):
            return _words(found.get(key))
    return []


def _table(text: str, name: str, *, toml: bool) -> dict[str, Any]:
    try:
        if not toml:
            parser = configparser.RawConfigParser()
            parser.read_string(text)
            return dict(parser[name]) if name in parser else {}
        data: Any = tomllib.loads(text)
        for part in name.split("."):
            data = data.get(part, {}) if isinstance(data, dict) else {}
        return data if isinstance(data, dict) else {}
    except (configparser.Error, ValueError, RecursionError):
        return {}


def _words(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else str(value or "").split()
