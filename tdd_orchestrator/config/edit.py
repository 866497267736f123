"""Read and change single settings of a configuration file, keeping comments and layout."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tdd_orchestrator.config.load import Loaded, check_table, typed, user_key
from tdd_orchestrator.config.schema import ROLES, AgentConfig, Config, Section
from tdd_orchestrator.model.diagnosis import ErrorType
from tdd_orchestrator.model.errors import BadConfig, Refused


def flat(data: Mapping[str, Any], *above: str) -> dict[str, Any]:
    """Return every value of a dumped configuration by its dotted key."""
    found: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and value:
            found.update(flat(value, *above, key))
        elif value != {} or user_key([*above, key]) != "agents":
            found[user_key([*above, key])] = value
    return found


def get_value(loaded: Loaded, key: str) -> Any:
    """Return the value of a dotted key. Raises BadConfig with the nearest key."""
    values = flat(loaded.config.model_dump(mode="json"))
    if key not in values:
        if kind_of(key) is not None:
            return ""  # a role or an agent without a setting
        raise _unknown(key, list(values))
    return values[key]


def set_values(loaded: Loaded, raw: Mapping[str, Any]) -> Path:
    """Write settings into the repository's configuration file; return its path.

    ``raw`` maps dotted keys to values: a text is read as TOML if the key's type allows it. Raises
    BadConfig for a wrong key or value, before anything is written; Refused without a file.
    """
    if loaded.file is None:
        raise Refused("There is no tdd.toml.", "`tdd init` writes one.")
    path = loaded.file
    before = path.read_text("utf-8")
    inside = ("tool", "tdd") if path.name == "pyproject.toml" else ()
    values = {tuple(key.split(".")): _read(key, value) for key, value in raw.items()}
    text = with_values(before, {(*inside, *parts): value for parts, value in values.items()})
    table: Any = tomllib.loads(text)
    for name in inside:
        table = table[name]
    check_table(path.name, table, text)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(text, encoding="utf-8")
    fresh.chmod(path.stat().st_mode & 0o777)
    os.replace(fresh, path)
    return path


def with_values(text: str, values: Mapping[Sequence[str], Any]) -> str:
    """Return the TOML text with these values set; keys are paths of table names that end in the key."""
    import tomlkit

    document = tomlkit.parse(text)
    for path, value in values.items():
        table: Any = document
        for name in path[:-1]:
            if name not in table:
                table.add(name, tomlkit.table(is_super_table=False))
            table = table[name]
        below = _comments_below(table) if path[-1] not in table else []
        table[path[-1]] = value
        for line in below:
            table.add(line)
    return tomlkit.dumps(document)


def _comments_below(table: Any) -> list[Any]:
    """Take the comments below the table's last key out of it: a new key stands above them."""
    from tomlkit.items import Table

    body = table.value.body if isinstance(table, Table) else []
    last = max((at for at, (key, _) in enumerate(body) if key is not None), default=len(body))
    below = [line for _, line in body[last + 1 :]]
    del body[last + 1 :]
    return below


def kind_of(key: str) -> Any:
    """Return the type of a dotted key from the schema; None for an unknown key."""
    section, _, rest = key.partition(".")
    field = Config.model_fields.get(section)
    if section == "agents":
        name, _, inner = rest.partition(".")
        if inner:
            one = AgentConfig.model_fields.get(inner)
            return one.annotation if one else None
        return str if name in ("default", *ROLES) else None
    if section == "cleanup":
        return str if rest in map(str, ErrorType) else None
    model = field.annotation if field else None
    if isinstance(model, type) and issubclass(model, Section):
        one = model.model_fields.get(rest)
        return one.annotation if one else None
    return None


def _read(key: str, value: Any) -> Any:
    kind = kind_of(key)
    if kind is None and key not in ("rules",):
        raise _unknown(key, list(flat(Config().model_dump(mode="json"))))
    return typed(value, kind) if isinstance(value, str) else value


def _unknown(key: str, known: Sequence[str]) -> BadConfig:
    every = [*known, "agents.default", *(f"agents.{role}" for role in ROLES)]
    last = [one for one in every if one.rpartition(".")[2] == key]
    near = difflib.get_close_matches(key, every, 1, 0.5) or last
    return BadConfig(
        f"There is no setting '{key}'" + (f"; did you mean '{near[0]}'?" if near else "."),
        "`tdd config` lists every setting.",
    )
