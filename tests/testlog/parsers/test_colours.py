"""Colours are taken out of whole blocks; what is read is the same as when each line is looked at by itself."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdd_orchestrator.testlog.parsers.lines import chunks, plain_lines
from tdd_orchestrator.testlog.read import read

PIECES = (
    b"\x1b[32m", b"\x1b[0m", b"\x1b[1;31m", b"\x1b[m", b"\x1b[2K", b"\x1b[1G", b"\x1b]0;title", b"\x07", b"\x1b", b"[0m",
    b"\x1b[33m", b"\x1b[39m", b"\x1b[2m", b"\x1b[22m", b"\x1b[1m", b"\x00", b"\x1b[3", b"\xe2\x9c", b"\x93", b"\xe2\x9c\x93", b"\x9b31m", b"\r", b"\n", b"\r\n", b"PASSED", b"FAILED ", b"a",
)  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_the_lines_are_those_that_each_line_by_itself_would_give(pieces: list[bytes]) -> None:
    block = b"".join(pieces)
    assert [line for part in chunks(block) for line in plain_lines(part)] == plain_lines(block)


@pytest.mark.parametrize("colours", [1, 2, 6, 7, 30])
@pytest.mark.parametrize("letter", ["a", "✓", "\0"])
def test_however_many_colours_there_are(colours: int, letter: str) -> None:
    line = "".join(f"\x1b[{number}m{letter}" for number in range(colours))
    assert list(chunks(f"{line}\n".encode() * 3)) == [f"{letter * colours}\n".encode() * 3]


def coloured(number: int) -> str:
    end = "\x1b[0m\x1b[32m [ 50%]\x1b[0m"
    return f"tests/test_errors.py::test_error_{number} \x1b[32mPASSED{end}\n"


def log(tests: int) -> bytes:
    head = "\x1b[1m" + " test session starts ".center(80, "=") + "\x1b[0m\n\n"
    last = f" {tests} passed in 9.99s ".center(80, "=")
    last = last.replace(f"{tests} passed", f"\x1b[32m\x1b[1m{tests} passed\x1b[0m\x1b[32m")
    return (head + "".join(map(coloured, range(tests))) + "\n\x1b[32m" + last + "\x1b[0m\n").encode()


def test_a_flood_of_coloured_results_is_read_whole() -> None:
    """250,000 tests whose names tell of errors: too many to be shown one by one, and all of them passed."""
    made = log(250_000)
    begun = time.process_time()
    report = read(made, exit_code=0)
    seconds = time.process_time() - begun
    assert (report.verdict.value, report.counts and report.counts.passed) == ("passed", 250_000), report.why
    assert seconds < 8, f"{len(made) / 1e6 / seconds:.0f} MB/s"
