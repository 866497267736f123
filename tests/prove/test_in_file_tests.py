"""Tests beside the code, in one file: HEAD's tests run with BASE's code all the same."""

from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path

import pytest
from change_repository import Repository

from tdd_orchestrator.languages.source import is_in_tests
from tdd_orchestrator.prove.split import with_other_tests

REAL_HOME = pwd.getpwuid(os.getuid()).pw_dir
CODE = "pub fn double(n: i64) -> i64 {\n    n + n\n}\n"
TRIPLE = "pub fn triple(n: i64) -> i64 {\n    n * 3\n}\n"
TESTS = "\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n{}}}\n"
DOUBLES = "    #[test]\n    fn doubles() {\n        assert_eq!(double(2), 4);\n    }\n"
TRIPLES = "    #[test]\n    fn triples() {\n        assert_eq!(triple(2), 6);\n    }\n"
BEFORE = CODE + TESTS.format(DOUBLES)
AFTER = CODE + TRIPLE + TESTS.format(DOUBLES + TRIPLES)


def test_lines_of_the_tests_are_told_from_the_code() -> None:
    numbers = [n for n in range(1, AFTER.count("\n") + 2) if is_in_tests(AFTER, "src/lib.rs", n)]
    first = AFTER.splitlines().index("#[cfg(test)]") + 1
    assert numbers[0] == first
    assert not is_in_tests(AFTER, "src/lib.rs", 1)


def test_the_code_of_one_version_with_the_tests_of_another() -> None:
    text = with_other_tests(BEFORE, AFTER, "src/lib.rs")
    assert "fn triples" in text
    assert "pub fn triple" not in text
    assert "pub fn double" in text


@pytest.mark.journey
@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo")
def test_a_rust_file_with_code_and_its_test_is_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (".rustup", ".cargo"):  # the tests have a home folder of their own
        monkeypatch.setenv(f"{name[1:].upper()}_HOME", f"{REAL_HOME}/{name}")
    repository = Repository(tmp_path / "crate")
    repository.commit("chore: a crate", {
        "calc.py": None, "tests/test_calc.py": None, ".gitignore": "target\nCargo.lock\n",
        "tdd.toml": '[test]\ncommand = ["cargo", "test", "--offline"]\npass_env = ["RUSTUP_HOME", "CARGO_HOME"]\n[workspace]\nsandbox = "none"\n',
        "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n', "src/lib.rs": BEFORE,
    })  # fmt: skip
    repository.commit("feat: triple", {"src/lib.rs": AFTER})
    change = repository.prove_one()
    assert (change["verdict"], [row["verdict"] for row in change["tests"]]) == ("proven", ["proven"])
    assert "E0425" in change["tests"][0]["on_base"]
