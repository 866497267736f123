"""Which values are secret, by the names that they have; and a function that takes them (and known shapes) out
of text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tdd_orchestrator.redaction import Redact, redact, redacted_cut, secret_values

__all__ = ["Redact", "dotenv", "is_key_like", "redacted_cut", "redactor", "secret_values"]

_KEY_LIKE = re.compile(r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])\S{12,4096}")
_LINE = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*)$", re.MULTILINE)


def dotenv(text: str) -> dict[str, str]:
    """The variables of an environment file (``NAME=value``, quoted or not), where the value covers a
    secret: what such files set for development (``SECRET_KEY=development``) is an ordinary word, and stays
    one."""
    found = {name: _unquoted(value) for name, value in _LINE.findall(text)}
    return {name: value for name, value in found.items() if is_key_like(value)}


def is_key_like(value: str) -> bool:
    """Whether a value is long and odd enough to be nothing else than the secret, wherever it stands."""
    return _KEY_LIKE.fullmatch(value) is not None


def _unquoted(value: str) -> str:
    value = value.strip()
    if value[:1] in ("'", '"'):
        return value[1:].partition(value[0])[0]
    return value.partition(" #")[0].strip()


def redactor(environment: Mapping[str, str], more: Iterable[str] = ()) -> Redact:
    """A function that hides the secrets of this environment, ``more`` values, and secrets of known shapes."""
    values = (*secret_values(environment), *more)
    return lambda text: redact(text, values)
