"""What is hidden, and what must survive."""

from __future__ import annotations

import pytest

from tdd_orchestrator.prompting.secrets import HIDDEN, PATTERNS, redactor, secret_values

A = "a1B2c3D4e5" * 8

SAMPLES = {
    "private key": f"-----BEGIN RSA PRIVATE KEY-----\n{A}\n-----END RSA PRIVATE KEY-----",
    "provider key": "sk-ant-" + A[:40],
    "GitHub token": "ghp_" + A[:36],
    "GitLab token": "glpat-" + A[:20],
    "Slack token": "xoxb-" + A[:30],
    "AWS key id": "AKIA" + "ABCDEFGH12345678",
    "Google key": "AIza" + A[:35],
    "package registry token": "npm_" + A[:36],
    "Stripe key": "sk_live_" + A[:30],
    "web token": f"eyJ{A[:20]}.eyJ{A[:30]}.{A[:30]}",
    "authorization header": "Authorization: Bearer " + A[:30],
    "password in an address": "https://user:" + "pa55word@example.com/x",
}


@pytest.mark.parametrize("name", [name for name, _ in PATTERNS])
def test_each_shape_is_hidden(name: str) -> None:
    out = redactor({})(f"before {SAMPLES[name]} after")
    assert HIDDEN in out
    assert out.startswith("before ")
    assert out.endswith(" after") or "example.com/x after" in out
    assert A[:20] not in out
    assert "pa55word" not in out


@pytest.mark.parametrize(
    "text",
    [
        "commit 4093d1bafbb5422713489d7cf97b80cde753629b",
        "tests/test_token.py::test_key[sk-1]",
        "sha256:" + "ab" * 32,
        "err_20261121_233011",
        "https://example.com/a:b@c",
        "password = input()",
        "The key is missing: MY_API_KEY",
    ],
)
def test_what_is_no_secret_survives(text: str) -> None:
    assert redactor({"MY_API_KEY": "value-of-the-key"})(text) == text


def test_values_of_secret_variables() -> None:
    environment = {
        "OPENAI_API_KEY": "value-one-1", "DB_PASSWORD": "value-two-2", "PWD": "/home/me/project", "PATH": "/usr/bin:/bin",
        "TOKEN": "short", "KEYBOARD": "querty-layout", "GITHUB_TOKEN": "value-one-1-longer",
    }  # fmt: skip
    assert secret_values(environment) == ("value-one-1-longer", "value-one-1", "value-two-2")
    assert (
        redactor(environment)("value-one-1-longer value-two-2 /home/me/project")
        == f"{HIDDEN} {HIDDEN} /home/me/project"
    )
