"""Secrets out of text that is kept or sent: literal values of secret variables, and well-known shapes.

Commit ids, test ids and hashes have none of these shapes, and survive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Redact = Callable[[str], str]

HIDDEN = "[secret]"
_SHORTEST = 8  # characters; a shorter value would blot out ordinary words
_SECRET_NAME = re.compile(
    r"(?i)(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)?|PWD|CREDENTIALS?|AUTH|DSN)(?:_|$|\d)"
)
_NOT_SECRET = frozenset({"PWD", "OLDPWD", "SSH_AUTH_SOCK"})

PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("private key", re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,40}-----|\Z)")),
    ("provider key", re.compile(r"\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,200}")),
    ("GitHub token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{40,255})")),
    ("GitLab token", re.compile(r"\bglpat-[A-Za-z0-9_-]{20,60}")),
    ("Slack token", re.compile(r"\bxox[abeprs]-[A-Za-z0-9-]{10,200}")),
    ("AWS key id", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("Google key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}")),
    ("package registry token", re.compile(r"\b(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,250})")),
    ("Stripe key", re.compile(r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{20,100}")),
    ("web token", re.compile(r"\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}")),
    ("authorization header", re.compile(r"(?i)(?<=authorization: )(?:bearer|basic|token) [A-Za-z0-9._~+/=-]{8,4000}")),
    ("password in an address", re.compile(r"(?<=://)[^\s/:@]{1,100}:[^\s/@]{1,200}(?=@)")),
)  # fmt: skip


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

    def redact(text: str) -> str:
        for value in values:
            text = text.replace(value, HIDDEN)
        for _, pattern in PATTERNS:
            text = pattern.sub(HIDDEN, text)
        return text

    return redact
