"""Which variables are secret; what the values and shapes become in text."""

from __future__ import annotations

import time

from pace import within

from tdd_orchestrator.redaction import dotenv, is_key_like, redacted_cut, redactor, secret_values

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


def test_an_environment_file_gives_what_is_secret_beyond_doubt() -> None:
    text = """
# a comment
export API_TOKEN='tok_9f8e7d6c5b4a'
DB_PASSWORD = "hunter2 hunter2 hunter2"  # with spaces: could be words
STRIPE_SECRET=sk5l5i5v5e5x  # live
SECRET_KEY=development
PORT=3000
"""
    assert dotenv(text) == {"API_TOKEN": "tok_9f8e7d6c5b4a", "STRIPE_SECRET": "sk5l5i5v5e5x"}
    assert not is_key_like("x" * 5000 + "1")
    out = redactor({}, dotenv(text).values())("the token tok_9f8e7d6c5b4a of development")
    assert out == "the token [redacted] of development"


def test_a_long_transcript_is_no_burden() -> None:
    begun = time.process_time()
    redactor(ENVIRONMENT)("an ordinary line of output with a key = value in it\n" * 80_000)
    assert time.process_time() - begun < within(8)


def test_no_part_of_a_secret_is_left_at_a_cut() -> None:
    secret = "Zq8vKp3LmN7xRt2WyB5cDf9GhJ4sAeUo"
    redact = redactor({"MY_TOKEN": secret})
    parts = [secret[at : at + 8] for at in range(0, 25, 8)]
    for length in (9_000, 90_000):
        for before in (*range(4_900, 5_100), *range(length - 5_100, length - 4_900)):
            text = "y" * before + f" {secret} " + "z" * (length - before)
            kept = redacted_cut(text, 10_000, redact)
            assert len(kept) < 10_100
            assert not any(part in kept for part in parts), (length, before)
    assert redacted_cut("short", 10, redact) == "short"
    assert redacted_cut("a" * 90_000 + "b", 10, redact).endswith("[... 89991 characters cut ...]\naaaab")
