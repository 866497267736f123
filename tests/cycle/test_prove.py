"""Unexpected failures are run again in the suite that they belong to (E4), however many suites there are; and beside
which test the control is planted."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tdd_orchestrator.cycle.prove import Prover
from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict
from tdd_orchestrator.runners.run import Ran, Suite
from tdd_orchestrator.runners.table import by_name
from tdd_orchestrator.workspace.shared import Shared

SOMETIMES = """
import pathlib, pytest

def test_sometimes():
    seen = pathlib.Path({counter!r})
    seen.write_text((seen.read_text() if seen.exists() else "") + "x")
    {body}

def test_steady():
    pass
"""
PASSES_THEN = "assert len(seen.read_text()) > 1"
BROKEN = "assert False"
SKIPS_THEN = "assert len(seen.read_text()) > 1 or False; pytest.skip('now')"


@pytest.fixture
def prover(tmp_path: Path) -> Any:
    """``prover({suite: body of its test})``; every suite is a folder of pytest tests, alike in their names."""

    def make(bodies: dict[str, str], **more: Any) -> Prover:
        tree = tmp_path / "tree"
        for name, body in bodies.items():
            (tree / name).mkdir(parents=True)
            text = SOMETIMES.format(counter=str(tmp_path / name), body=body)
            (tree / name / "test_it.py").write_text(text)
        command = (sys.executable, "-m", "pytest", "-q")
        suites = tuple(Suite(name, command, by_name("pytest"), cwd=name) for name in bodies)
        environ = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        fake: Any = SimpleNamespace(path=tree, move_to=lambda commit: None)
        blobs: Any = SimpleNamespace(evidence=lambda data: "0" * 40)
        made = Prover(
            suites,
            fake,
            Shared(tmp_path),
            tmp_path / "work",
            environ,
            blobs,
            lambda _: b"",
            cookie="proving-tests",
        )
        made.pass_env = ("PYTEST_DISABLE_PLUGIN_AUTOLOAD",)
        for name, value in more.items():
            setattr(made, name, value)
        return made

    return make


def runs(tmp_path: Path, suite: str) -> int:
    return len((tmp_path / suite).read_text())


def test_a_flaky_test_of_the_second_suite_is_told_from_a_broken_one(prover: Any, tmp_path: Path) -> None:
    proof = prover({"back": BROKEN, "web": PASSES_THEN}).prove("c", "t")
    assert proof.flaky == {"web: test_it.py::test_sometimes"}
    assert [case.id for case in proof.report.failing] == [
        "back: test_it.py::test_sometimes",
        "web: test_it.py::test_sometimes",
    ]
    assert (runs(tmp_path, "back"), runs(tmp_path, "web")) == (3, 2)


def test_one_suite_names_its_tests_plainly(prover: Any) -> None:
    assert prover({"back": PASSES_THEN}).prove("c", "t").flaky == {"test_it.py::test_sometimes"}


def test_only_suspects_run_again(prover: Any, tmp_path: Path) -> None:
    def in_web(report: Any) -> list[Any]:
        return [case for case in report.failing if case.id.startswith("web: ")]

    proof = prover({"back": PASSES_THEN, "web": PASSES_THEN}).prove("c", "t", suspects=in_web)
    assert proof.flaky == {"web: test_it.py::test_sometimes"}
    assert (runs(tmp_path, "back"), runs(tmp_path, "web")) == (1, 2)


@pytest.mark.parametrize("more", [{}, {"web": "pass"}])
def test_a_test_that_skips_itself_when_run_again_has_not_passed(prover: Any, more: dict[str, str]) -> None:
    assert prover({"back": SKIPS_THEN, **more}).prove("c", "t").flaky == set()


def test_tests_that_change_between_runs_are_found_in_every_suite(prover: Any) -> None:
    made = prover({"back": "pass", "web": "assert len(seen.read_text()) < 2"})
    proof = made.prove("c", "t", repeat=lambda report: report.cases, times=2)
    assert proof.flaky == {"web: test_it.py::test_sometimes"}


def test_a_suite_that_cannot_choose_tests_is_not_run_again(prover: Any, tmp_path: Path) -> None:
    made = prover({"back": PASSES_THEN, "web": PASSES_THEN})
    back, web = made.suites
    made.suites = (replace(back, framework=replace(back.framework, select=None)), web)
    proof = made.prove("c", "t")
    assert proof.flaky == {"web: test_it.py::test_sometimes"}
    assert runs(tmp_path, "back") == 1
    assert all(case.outcome in (Outcome.FAILED, Outcome.PASSED) for case in proof.report.cases)


def case(file: str, outcome: Outcome = Outcome.PASSED) -> Case:
    return Case(f"{file}::test", "test", outcome, file)


@pytest.fixture
def played(prover: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """``played(files, left)``: a prover of one suite whose runs list these files; beside a file for which ``left`` says so
    the control was not run. It notes beside what it was planted."""
    made = prover({"": "pass"})

    def make(files: list[str], left: Any) -> tuple[Prover, list[str]]:
        planted: list[str] = []

        def once(self: Prover, suite: Suite, only: Any, near: str) -> Ran:
            planted.append(near)
            report = Report(RunVerdict.PASSED, cases=tuple(case(file) for file in files), complete=True)
            return Ran(report, not left(near) if near else None, 0.0, "")

        monkeypatch.setattr(Prover, "_once", once)
        for file in ("bench/test_a.py", "tests/test_b.py", "tests/test_c.py"):
            path = made.tree.path / file
            path.parent.mkdir(exist_ok=True)
            path.write_text("def test():\n    pass\n")
        return made, planted

    return make


NEAR = ("bench/test_a.py", "tests/test_b.py")


def in_bench(near: str) -> bool:
    return near.startswith("bench")


def test_the_control_stands_beside_a_file_that_the_command_runs(played: Any) -> None:
    made, planted = played(["tests/test_b.py"], in_bench)
    assert made.prove("c", "t", near=NEAR).control is True
    assert planted == ["bench/test_a.py", "tests/test_b.py"]


def test_what_the_command_leaves_out_is_learned_from_the_users_own_code_alone(played: Any) -> None:
    made, planted = played(["tests/test_b.py"], in_bench)
    made.prove("c", "t", near=NEAR)
    assert made.outside == set(), "an agent's code may have kept the control from running"
    made.prove("c", "t", near=NEAR, untouched=True)
    assert made.outside == {"bench"}
    planted.clear()
    made.prove("c", "t", near=NEAR)
    assert planted == ["tests/test_b.py"]


@pytest.mark.parametrize(
    "files",
    [
        ["tests/test_b.py", "bench/test_a.py"],
        ["tests/test_b.py", "bench/test_d.py"],
        ["tests/test_b.py", ""],
        [],
    ],
    ids=["the neighbour ran", "its folder ran", "a test without a file", "nothing ran"],
)
def test_a_control_that_did_not_fail_where_its_folder_may_have_run_is_no_matter_of_the_command(
    played: Any, files: list[str]
) -> None:
    made, planted = played(files, in_bench)
    assert made.prove("c", "t", near=NEAR, untouched=True).control is False
    assert (planted, made.outside) == (["bench/test_a.py"], set())


@pytest.mark.parametrize("kept", [b'{"forged": true}', b""])
def test_evidence_whose_bytes_are_not_those_of_the_record_is_no_evidence(prover: Any, kept: bytes) -> None:
    """A loose object can be overwritten on this disk; git hands out what it finds (T24)."""
    made = prover({"one": "pass"})
    proof = made.prove("0" * 40, "tree")
    blobs: dict[str, bytes] = {}
    made.blobs = SimpleNamespace(evidence=lambda data: blobs.setdefault("blob", data) and "blob")
    made.read_blob = lambda name: blobs[name]
    record = {"tests": made.evidence(proof).model_dump(mode="json")}
    again = made.recorded("tree", [record])
    assert again is not None
    assert again.report.counts == proof.report.counts
    blobs["blob"] = kept
    assert made.recorded("tree", [record]) is None
