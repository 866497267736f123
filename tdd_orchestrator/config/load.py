"""Load the configuration once: defaults < user file < pyproject.toml < tdd.toml < TDD_* < flags.

The file is read from the user's tree when a command starts, never from an agent's. Unknown keys are
errors that name the nearest known key.
"""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from tdd_orchestrator.config.schema import ROLES, AgentConfig, Config, Section, SuiteConfig, unknown_key
from tdd_orchestrator.model.diagnosis import ErrorType
from tdd_orchestrator.model.errors import BadConfig

FILES = ("tdd.toml", ".tdd.toml")


class Loaded(BaseModel):
    """The configuration, and the origin of each value that is not a default."""

    model_config = ConfigDict(frozen=True)
    config: Config
    origins: dict[str, str]
    file: Path | None


def users_file() -> Path:
    """Return the path of the user's configuration for all repositories."""
    from platformdirs import user_config_path

    return user_config_path("tdd") / "config.toml"


def load(
    root: Path,
    *,
    env: Mapping[str, str] | None = None,
    user_file: Path | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Loaded:
    """Read and merge every source, key by key. Raises BadConfig with file, line and key."""
    env = os.environ if env is None else env
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    sources: list[tuple[str, dict[str, Any], str]] = []
    if user_file is not None and user_file.is_file():
        sources.append((str(user_file), *_read(user_file)))
    pyproject = root / "pyproject.toml"
    chosen: Path | None = None
    if pyproject.is_file():
        data, text = _read(pyproject)
        tools = data.get("tool")
        table = tools.get("tdd") if isinstance(tools, dict) else None
        if isinstance(table, dict):
            sources.append(("pyproject.toml", table, text))
            chosen = pyproject
    present = [root / name for name in FILES if os.path.lexists(root / name)]
    if len(present) > 1:
        raise BadConfig("Both tdd.toml and .tdd.toml are here.", "Keep one of them.")
    for path in present:
        sources.append((path.name, *_read(path)))
        chosen = path
    for name, data, text in sources:
        _check(name, data, text)
        _merge(merged, data, name, origins)
    known = merged.get("agents")
    given = _from_env(env, known if isinstance(known, dict) else ())
    for source, data in (("environment", given), ("flag", dict(flags or {}))):
        if data:
            _merge(merged, data, source, origins)
    texts = {name: text for name, _, text in sources}
    return Loaded(config=_build(merged, origins, texts), origins=origins, file=chosen)


def _torn(name: str, text: str, error: str) -> str:
    """Return the parser's message with the line in front, as in our other messages."""
    reason, _, place = error.removesuffix(")").partition(" (at ")
    found = re.match(r"line (\d+),", place)
    if found:
        return f"{name}:{found[1]}: not valid TOML: {reason}."
    return f"{name}:{len(text.splitlines())}: not valid TOML: {reason} at the end of the file."


def _read(path: Path) -> tuple[dict[str, Any], str]:
    try:
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        raise BadConfig(_torn(path.name, text, str(error)), "Fix that line and try again.") from error
    except RecursionError as error:
        raise BadConfig(f"{path.name}: not valid TOML: {error}.", "Fix that line and try again.") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadConfig(f"{path.name}:{line}: not text in UTF-8.", "Fix that line and try again.") from error
    except OSError as error:
        raise BadConfig(
            f"{path.name} cannot be read: {error.strerror}.", "Make it a file that can be read, or remove it."
        ) from error


def check_table(name: str, data: dict[str, Any], text: str) -> Config:
    """Return the configuration of one table alone. Raises BadConfig with file, line and key."""
    _check(name, data, text)
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    _merge(merged, data, name, origins)
    return _build(merged, origins, {name: text})


def _check(name: str, data: dict[str, Any], text: str) -> None:
    """Raise BadConfig for unknown keys, while their file and line are known."""
    for section, table, known in _tables(data):
        for key in table:
            if key not in known:
                message = unknown_key(key, known)
                label = f"[{section}] " if section else ""
                raise BadConfig(f"{name}:{_line(text, key, section)}: {label}{message}", _ADVICE)


def _tables(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """Yield every table with known keys: its name, itself, its keys. Other shapes fail in the schema."""
    rows: list[tuple[str, Any, Iterable[str]]] = [("", data, Config.model_fields)]
    for section, field in Config.model_fields.items():
        model = field.annotation
        if isinstance(model, type) and issubclass(model, Section):
            rows.append((section, data.get(section), model.model_fields))
    rows.append(("cleanup", data.get("cleanup"), map(str, ErrorType)))
    agents, test = data.get("agents"), data.get("test")
    if isinstance(agents, dict):
        roles = {key: name for key, name in agents.items() if isinstance(name, str)}
        rows.append(("agents", roles, ["default", *ROLES]))
    for agent, table in agents.items() if isinstance(agents, dict) else ():
        rows.append((f"agents.{agent}", table, AgentConfig.model_fields))
    suites = test.get("suite") if isinstance(test, dict) else None
    for suite in suites if isinstance(suites, list) else ():
        rows.append(("test.suite", suite, SuiteConfig.model_fields))
    return ((section, table, list(known)) for section, table, known in rows if isinstance(table, dict))


_ADVICE = "Fix the key; `tdd config` shows every one."


def _line(text: str, key: str, section: str = "") -> int:
    seen = not section
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if section and re.match(rf"\[+\s*(tool\.tdd\.)?{re.escape(section)}\s*\]", stripped):
            seen = True
        if seen and re.match(rf"(\[+\s*(tool\.tdd\.)?)?[\"']?{re.escape(key)}[\"']?\s*[\]=.]", stripped):
            return number
    return 1


def _merge(
    into: dict[str, Any], data: Mapping[str, Any], source: str, origins: dict[str, str], at: str = ""
) -> None:
    for key, value in data.items():
        path = f"{at}{key}"
        if isinstance(value, dict) and isinstance(into.get(key, {}), dict):
            _merge(into.setdefault(key, {}), value, source, origins, f"{path}.")
        else:
            into[key] = value
            origins[path] = source


def _from_env(env: Mapping[str, str], agents: Iterable[str] = ()) -> dict[str, Any]:
    """Read ``TDD_RETRY_MAX_RETRIES=1`` as retry.max_retries; values are TOML if they parse, else
    strings.

    ``agents``: names from the files, to restore their case.
    """
    found: dict[str, Any] = {}
    for section, field in Config.model_fields.items():
        model = field.annotation
        if not (isinstance(model, type) and issubclass(model, Section)):
            continue
        for key, one in model.model_fields.items():
            raw = env.get(f"TDD_{section}_{key}".upper())
            if raw is not None:
                found.setdefault(section, {})[key] = typed(raw, one.annotation)
    for variable in sorted(name for name in env if name.startswith(_AGENTS) and env[name]):
        _of_agents(found.setdefault("agents", {}), variable, env[variable], agents)
    return found


_AGENTS = "TDD_AGENTS_"


def _of_agents(into: dict[str, Any], variable: str, raw: str, agents: Iterable[str]) -> None:
    """Read ``TDD_AGENTS_RED=human`` as agents.red, ``TDD_AGENTS_MINE_TIMEOUT=7`` as agents.mine.timeout."""
    rest = variable.removeprefix(_AGENTS)
    plain = {_upper(name): name for name in ("default", *ROLES)}
    if rest in plain:
        into[plain[rest]] = raw
        return
    for key in sorted(AgentConfig.model_fields, key=len, reverse=True):
        agent = rest.removesuffix(f"_{key.upper()}")
        if agent not in ("", rest, *plain):
            name = {_upper(known): known for known in agents}.get(agent, agent.lower())
            kind = AgentConfig.model_fields[key].annotation
            into.setdefault(name, {})[key] = typed(raw, kind)
            return
    raise BadConfig(
        f"environment: {variable}: {unknown_key(rest.lower(), ['default', *ROLES])}",
        "Name a role, or an agent and one of its keys: TDD_AGENTS_RED=mine, TDD_AGENTS_MINE_TIMEOUT=7.",
    )


def _upper(name: str) -> str:
    return re.sub(r"\W", "_", name).upper()


def typed(raw: str, kind: Any) -> Any:
    """Return the value as TOML if its type allows it; for a text key (``true``, ``7``) it stays text."""
    value = _toml_value(raw)
    kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    lists = any(get_origin(one) is list for one in kinds)
    if str in kinds and not isinstance(value, (str, list) if lists else str):
        return raw
    return value


def _toml_value(raw: str) -> Any:
    try:
        return tomllib.loads(f"x = {raw}")["x"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return raw


def _build(merged: dict[str, Any], origins: dict[str, str], texts: Mapping[str, str]) -> Config:
    try:
        return Config.model_validate(merged)
    except ValidationError as error:
        first = error.errors()[0]
        path = user_key([str(part) for part in first["loc"] if isinstance(part, str)])
        known = [key for key in origins if _within(path, key) or _within(key, path)]
        key = max(known, key=len, default=path)
        origin = origins.get(key, "configuration")
        section, _, last = path.rpartition(".")
        where = f"{origin}:{_line(texts[origin], last, section)}" if origin in texts else origin
        name, advice = path, _ADVICE
        if origin == "environment":
            name, advice = f"TDD_{_upper(key)}", "Set the variable to such a value, or unset it."
        message = _in_our_words(str(first["msg"]).removeprefix("Value error, "))
        raise BadConfig(f"{where}: {name}: {message.rstrip('.')}.", advice) from error


_SHAPES = {
    "list": 'a list, such as [1, 2] or ["a", "b"]',
    "integer": "a whole number, such as 3",
    "number": "a number, such as 1.5",
    "boolean": "true or false",
    "string": "text in quotes",
    "dictionary": "a table",
}


def _in_our_words(message: str) -> str:
    """Return pydantic's sentence with what a valid value looks like."""
    shape = re.match(r"Input should be a valid (\w+)", message)
    if shape and shape[1] in _SHAPES:
        return f"it must be {_SHAPES[shape[1]]}"
    return message.replace("Input should be", "it must be")


def user_key(parts: Sequence[str]) -> str:
    """Return a key as the user writes it: roles and named agents share one table."""
    inner = parts[0] == "agents" and len(parts) > 1 and parts[1] in ("roles", "named")
    return ".".join([parts[0], *parts[2:]] if inner else parts)


def _within(path: str, key: str) -> bool:
    return path == key or path.startswith(f"{key}.")


def words(command: str | list[str], *, shell: bool = False) -> tuple[str, ...]:
    """Return a command as argv: split like a shell does, or for a shell if requested."""
    if isinstance(command, list):
        return tuple(command)
    if shell:
        return ("sh", "-c", command)
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise BadConfig(
            f"The command {command!r} cannot be split into words: {error}.", "Fix its quotes."
        ) from error
