"""All signs asked as one answer as each of them does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.testlog.parsers.choose import _first_words, any_of, rows
from tdd_orchestrator.text import LazyRegex

SAMPLES = Path(__file__).parents[1] / "samples"
FORMS = {
    r"^a|b": ("ax", "xb", "xa"),
    r"^(?:a|b)c": ("ac", "bc", "xac"),
    r"^[(|]x": ("(x", "|x", "x("),
    r"^[]|]x": ("]x", "|x", "x"),
    r"^\(x|\[y": ("(x", "x[y", "x(x"),
    r"(?i)^pass|^fail": ("PASS", "fail", "x pass"),
    r"(?i)^pass": ("PASS", "x pass"),
    r"x$": ("ax", "xa"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_means_what_it_means_alone(form: str) -> None:
    alone, other = LazyRegex(form), LazyRegex("^never this")
    for line in FORMS[form]:
        assert any_of([other, alone])(line) == bool(alone.search(line))


def test_no_sign_is_in_nothing() -> None:
    assert not any_of([])("")


def test_every_sign_of_every_runner_is_still_seen() -> None:
    signs = [sign for row in rows() for sign in row.signs]
    lines = {
        line[:400]
        for file in SAMPLES.rglob("*")
        if file.is_file()
        for line in file.read_text(errors="replace").splitlines()
    }
    told = {line for line in lines if any(sign.search(line) for sign in signs)}
    assert len(told) > 500
    assert {line for line in lines if any_of(signs)(line)} == told


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"^Ran \d+ tests", "Ran "),
        ("^# of tests$", "# of tests"),
        ("^===> it", "==="),
        ("^tests?: ", ""),
        ("^ab{2} ", ""),
        ("^a+b", ""),
        ("^ran|^run", ""),
        ("ran", ""),
        ("(?i)^ran", ""),
        (r"^(?:not )?ok \d", ""),
    ],
)
def test_a_line_with_other_first_words_is_not_searched(pattern: str, words: str) -> None:
    assert _first_words(LazyRegex(pattern)) == words


def test_every_pattern_of_a_row_is_one() -> None:
    """They are compiled when they are first asked for, which no run of a tool may be the first to do."""
    for row in rows():
        for lazy in (row.passes, row.results):
            if lazy is not None:
                assert lazy.stretch.groupindex == lazy.unit.groupindex
        if row.whole is not None:
            assert not row.whole.form.findall("")
        for sign in row.signs:
            sign.search("")
