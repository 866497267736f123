"""A log that is noise for the most part is read once; of any other all is read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.testlog.parsers.lines import UNFILTERED, NoiseFilter, chunks, uncoloured
from tdd_orchestrator.testlog.sessions import Spool

NOISE = b"INFO nothing to see here\n" * 200_000
RESULTS = b"".join(b"result %d\n" % number for number in range(600_000))


def looked_at(log: Path, skipped: int = -1) -> Spool:
    """After a first look that thins, and skips one block."""
    remains = Spool(log)
    noise_filter = NoiseFilter(lambda line: line.startswith("result"), unfiltered=0)
    for number, block in enumerate(remains.all()):
        if number != skipped:
            plain = uncoloured(block)
            remains.keep(len(block), plain, noise_filter.filter_block(plain))
    return remains


@pytest.mark.parametrize("colour", [b"", b"\x1b[32m"])
def test_what_noise_leaves_is_told_without_the_log(colour: bytes, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes((NOISE + b"result 1\n" + NOISE).replace(b" to ", colour + b" to "))
    remains = looked_at(log)
    log.unlink()
    left = b"".join(remains.blocks())
    assert b"\nresult 1\n" in left
    assert len(left) <= UNFILTERED + 200
    assert left[: UNFILTERED // 2] == NOISE[: UNFILTERED // 2], "the beginning is told as it is"


@pytest.mark.parametrize(
    ("text", "skipped"), [(RESULTS, -1), (NOISE, 3), (NOISE, 0)], ids=["much is left", "skipped", "at once"]
)
def test_all_else_is_read_anew(text: bytes, skipped: int, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(text)
    assert list(looked_at(log, skipped).blocks()) == list(chunks(text))


def test_a_small_log_is_read_once_and_whole(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(NOISE[:2_500])
    remains = looked_at(log)
    log.unlink()
    assert b"".join(remains.blocks()) == NOISE[:2_500]
