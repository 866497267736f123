"""Stored records as typed values. Notes are anybody's and are read for ever, so reading never fails.

A field of a later version is passed over; a field that holds something else than it should counts as empty; a record
of a kind that is not known is a plain ``Record``. What must be right before it is believed (the chain, the line's
version, the audit of each field) is checked on the line itself, by ``notes.codec`` and ``audit``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from tdd_orchestrator.model import records
from tdd_orchestrator.model.records import AnyRecord, Record

_ROUNDS = 8  # a value that is put right may hold another that is not
_OBJECTS = frozenset({"error_details"})  # required fields that hold an object; the others hold text
_Model = TypeVar("_Model", bound=BaseModel)


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
    """Return a stored object as this model; what does not fit the model is left out of it."""
    fitting: Any = dict(data)
    for _ in range(_ROUNDS):
        try:
            return model.model_validate(fitting)
        except ValidationError as error:
            for row in reversed(error.errors(include_url=False, include_input=False)):
                fitting = _without(fitting, row["loc"], missing=row["type"] == "missing")
    return model.model_validate({"kind": str(data.get("kind", "")), "error": "", "error_details": _NOTHING})


_NOTHING = {"type": "", "message": ""}


def _without(value: Any, path: tuple[int | str, ...], *, missing: bool) -> Any:
    """Return a copy of a JSON value without the place at ``path``, or with an empty value where one is missing."""
    key, *rest = path
    if isinstance(value, list):
        inner = [_without(value[int(key)], tuple(rest), missing=missing)] if rest else []
        return [*value[: int(key)], *inner, *value[int(key) + 1 :]]
    copy = dict(value)
    if rest and str(key) in copy:
        copy[str(key)] = _without(copy[str(key)], tuple(rest), missing=missing)
    elif missing:
        copy[str(key)] = {} if key in _OBJECTS else ""
    else:
        copy.pop(str(key), None)
    return copy


def _kinds() -> dict[str, type[Record]]:
    return {str(kind.model_fields["kind"].default): kind for kind in records.KINDS}
