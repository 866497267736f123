"""Every row of the table keeps what its samples promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.runners.detect import detect
from tdd_orchestrator.runners.framework import UNKNOWN, Framework, Sample, any_of, is_test_file, matches
from tdd_orchestrator.runners.table import FRAMEWORKS, by_name
from tdd_orchestrator.testlog.parsers.choose import rows

ALL = (*FRAMEWORKS, UNKNOWN)
SAMPLES = [(row, sample) for row in FRAMEWORKS for sample in row.samples]


def names(value: object) -> str:
    if isinstance(value, Framework):
        return value.name
    return value.command or "files" if isinstance(value, Sample) else str(value)


@pytest.mark.parametrize(("row", "sample"), SAMPLES, ids=names)
def test_sample_is_detected_as_its_row(row: Framework, sample: Sample, tmp_path: Path) -> None:
    for path, text in sample.files:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = detect(tmp_path, sample.command)
    assert found.framework.name == row.name, found.why
    assert found.why


@pytest.mark.parametrize("row", ALL, ids=names)
def test_patterns_tell_test_files_from_others(row: Framework) -> None:
    assert row.is_test
    assert row.not_test
    assert [path for path in row.is_test if not is_test_file(path, row)] == []
    assert [path for path in row.not_test if is_test_file(path, row) or matches(path, row.config_files)] == []


@pytest.mark.parametrize("row", FRAMEWORKS, ids=names)
def test_row_is_whole(row: Framework) -> None:
    assert row.samples
    assert row.command
    assert row.reader
    for pattern in [*row.signs.words, *(text for _, text in row.signs.manifests)]:
        re.compile(pattern)


@pytest.mark.parametrize("row", FRAMEWORKS, ids=names)
def test_its_reader_of_text_exists(row: Framework) -> None:
    assert row.reader in {reader.name for reader in rows()}


def test_names_are_unique_and_found() -> None:
    assert len({row.name for row in ALL}) == len(ALL)
    assert all(by_name(row.name) is row for row in ALL)


def test_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(Refused, match="pytest"):
        by_name("pytset")


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("**/a.py", "a.py", True),
        ("**/a.py", "x/y/a.py", True),
        ("*.py", "x/a.py", False),
        ("tests/**", "tests/x/y", True),
        ("{a,b*}.py", "bc.py", True),
        ("{a,b*}.py", "c.py", False),
        ("**/*.{js,ts}", "x/a.b.ts", True),
        ("a?c", "abc", True),
    ],
)
def test_path_patterns(glob: str, path: str, fits: bool) -> None:
    assert matches(path, (glob,)) is fits


def test_patterns_are_compiled_once_for_all_paths() -> None:
    globs = ("**/test_*.txt", "a{b,c}/**", "*.{md,rst}")
    before = any_of.cache_info().misses
    found = [
        path
        for n in range(500)
        for path in (f"x/test_{n}.txt", f"ab/{n}", f"{n}.mdx")
        if matches(path, globs)
    ]
    assert len(found) == 1000
    assert any_of.cache_info().misses == before + 1
    assert not matches("", ())
