"""Which variables are secret; what the values and shapes become in text."""

from __future__ import annotations

import time

from tdd_orchestrator.prompting.secrets import redactor, secret_values

ENVIRONMENT = {
    "OPENAI_API_KEY": "value-one-1", "DB_PASSWORD": "value-two-2", "PWD": "/home/me/project", "PATH": "/usr/bin:/bin",
    "TOKEN": "short", "KEYBOARD": "querty-layout", "GITHUB_TOKEN": "value-one-1-longer",
}  # fmt: skip


def test_values_of_secret_variables() -> None:
    assert secret_values(ENVIRONMENT) == ("value-one-1-longer", "value-one-1", "value-two-2")


def test_values_and_shapes_are_hidden_and_the_rest_stays() -> None:
    text = f"value-one-1-longer {'ghp_' + 'a1B2' * 9} at 4093d1bafbb5422713489d7cf97b80cde753629b in /home/me/project"
    out = redactor(ENVIRONMENT)(text)
    assert "value-one" not in out
    assert "ghp_" not in out
    assert out.endswith("at 4093d1bafbb5422713489d7cf97b80cde753629b in /home/me/project")


def test_a_long_transcript_is_no_burden() -> None:
    begun = time.process_time()
    redactor(ENVIRONMENT)("an ordinary line of output with a key = value in it\n" * 80_000)
    assert time.process_time() - begun < 8
