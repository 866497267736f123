"""Which variables of an environment are secret, and a function that takes their values (and known shapes) out of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tdd_orchestrator.redaction import redact

Redact = Callable[[str], str]

_SHORTEST = 8  # characters; a shorter value would blot out ordinary words
_SECRET_NAME = re.compile(
    r"(?i)(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)?|PWD|CREDENTIALS?|AUTH|DSN)(?:_|$|\d)"
)
_NOT_SECRET = frozenset({"PWD", "OLDPWD", "SSH_AUTH_SOCK"})


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values of variables whose name says that they are secret, longest first."""
    found = {
        value
        for name, value in environment.items()
        if len(value) >= _SHORTEST and name not in _NOT_SECRET and _SECRET_NAME.search(name)
    }
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def redactor(environment: Mapping[str, str]) -> Redact:
    """A function that hides the secrets of this environment, and secrets of known shapes."""
    values = secret_values(environment)
    return lambda text: redact(text, values)
