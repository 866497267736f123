"""Read stored records as typed values. Reading never fails, since notes may hold anything.

A field of a later version is ignored; an invalid field counts as empty; a record of an unknown kind is
a plain ``Record``. What must be valid before it is trusted (the chain, the line's version, the audit of
each field) is checked on the line itself, by ``notes.codec`` and ``audit``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeVar, get_args

from pydantic import TypeAdapter, ValidationError

from tdd_orchestrator.model import records
from tdd_orchestrator.model.records import AnyRecord, Record

_ROUNDS = 8  # a corrected value may contain another invalid one
_EMPTY: Mapping[str, Any] = {
    "error": "",
    "error_details": {"type": "", "message": ""},
}  # required fields of a record
_Path = tuple[int | str, ...]
_Model = TypeVar("_Model")


def read(data: Mapping[str, Any]) -> AnyRecord | Record:
    """Return a stored record as the model of its kind."""
    try:
        return records.parse(dict(data))
    except ValidationError:
        return read_as(_kinds().get(str(data.get("kind")), Record), data)


def read_all(rows: Iterable[Mapping[str, Any]]) -> list[AnyRecord | Record]:
    """Return stored records as models, in their order."""
    return [read(row) for row in rows]


def read_as(model: type[_Model], data: Mapping[str, Any]) -> _Model:
    """Return a stored object as this model or data class, without the values that do not fit."""
    fitting: Any = dict(data)
    kind: Any = model
    adapter: TypeAdapter[_Model] = _adapter(kind)
    for _ in range(_ROUNDS):
        try:
            return adapter.validate_python(fitting)
        except ValidationError as error:
            for path in _unfit(error):
                fitting = _without(fitting, path)
            fitting = {**_required(error), **fitting}
    return adapter.validate_python({"kind": str(data.get("kind", "")), **_EMPTY})


@cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


def _unfit(error: ValidationError) -> list[_Path]:
    """Return the invalid places, last first. A part that lacks a required field is invalid as a whole."""
    rows = error.errors(include_url=False, include_input=False)
    paths = {row["loc"][:-1] if row["type"] == "missing" else row["loc"] for row in rows} - {()}
    inner = {path for path in paths if any(path[:length] in paths for length in range(1, len(path)))}
    return sorted(paths - inner, key=_order, reverse=True)


def _order(path: _Path) -> list[tuple[int, str]]:
    """Sort places of lists by their number, so that the last can be taken out first."""
    return [(key, "") if isinstance(key, int) else (-1, key) for key in path]


def _required(error: ValidationError) -> dict[str, Any]:
    """Return empty values for the record's missing required fields."""
    missing = {row["loc"] for row in error.errors(include_url=False) if row["type"] == "missing"}
    return {name: value for name, value in _EMPTY.items() if (name,) in missing}


def _without(value: Any, path: _Path) -> Any:
    """Return a copy of a JSON value without the place at ``path``."""
    key, *rest = path
    if isinstance(value, list):
        inner = [_without(value[int(key)], tuple(rest))] if rest else []
        return [*value[: int(key)], *inner, *value[int(key) + 1 :]]
    rest_of_it = {name: one for name, one in value.items() if name != key}
    return {**rest_of_it, key: _without(value[key], tuple(rest))} if rest else rest_of_it


def _kinds() -> dict[str, type[Record]]:
    return {name: kind for kind in records.KINDS for name in get_args(kind.model_fields["kind"].annotation)}
