"""After unexpected failures everything is run again, as a whole (E4), however many suites there are."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tdd_orchestrator.cycle.proof import Prover
from tdd_orchestrator.model.records import Baseline
from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.runners.run import Suite
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
STEADY = "pass"
PASSES_THEN = "assert len(seen.read_text()) > 1"
PASSES_THIRD = "assert len(seen.read_text()) > 2"
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
        fake: Any = SimpleNamespace(path=tree, move_to=lambda commit: None, rewrite=lambda texts: None)
        blobs: Any = SimpleNamespace(evidence=lambda data: "0" * 40)
        made = Prover(
            suites,
            fake,
            Shared(tmp_path),
            tmp_path / "work",
            environ,
            blobs,
            lambda _: b"",
            run_marker=f"proving-tests-{os.getpid()}",  # workers of xdist end their own programs only
        )
        made.pass_env = ("PYTEST_DISABLE_PLUGIN_AUTOLOAD",)
        for name, value in more.items():
            setattr(made, name, value)
        return made

    return make


def runs(tmp_path: Path, suite: str) -> int:
    return len((tmp_path / suite).read_text())


def test_a_flake_of_one_suite_leads_to_a_whole_success_of_both(prover: Any, tmp_path: Path) -> None:
    proof = prover({"back": STEADY, "web": PASSES_THEN}).prove("c", "t")
    assert proof.flaky == {"web: test_it.py::test_sometimes"}
    assert (proof.report.verdict, proof.report.failing) == (RunVerdict.PASSED, ())
    assert (runs(tmp_path, "back"), runs(tmp_path, "web")) == (2, 2)


def test_a_flake_beside_a_broken_test_is_no_success(prover: Any, tmp_path: Path) -> None:
    proof = prover({"back": BROKEN, "web": PASSES_THEN}).prove("c", "t")
    assert proof.flaky == {"web: test_it.py::test_sometimes"}
    assert proof.report.verdict is RunVerdict.FAILED
    assert [case.id for case in proof.report.failing] == [
        "back: test_it.py::test_sometimes",
        "web: test_it.py::test_sometimes",
    ]
    assert (runs(tmp_path, "back"), runs(tmp_path, "web")) == (3, 3)


def test_one_suite_names_its_tests_plainly(prover: Any) -> None:
    assert prover({"back": PASSES_THEN}).prove("c", "t").flaky == {"test_it.py::test_sometimes"}


def test_only_suspects_lead_to_another_run(prover: Any, tmp_path: Path) -> None:
    def in_web(report: Any) -> list[Any]:
        return [case for case in report.failing if case.id.startswith("web: ")]

    proof = prover({"back": BROKEN, "web": STEADY}).prove("c", "t", suspects=in_web)
    assert (proof.flaky, proof.report.verdict) == (frozenset(), RunVerdict.FAILED)
    assert (runs(tmp_path, "back"), runs(tmp_path, "web")) == (1, 1)


def test_a_test_that_fails_in_the_whole_suite_only_is_broken(prover: Any, tmp_path: Path) -> None:
    """Alone it would pass: what an earlier test left in a list makes it fail, each time."""
    made = prover({"back": STEADY})
    (made.tree.path / "back" / "lists.py").write_text("seen = []\n")
    tests = "from lists import seen\n\ndef test_adds():\n    seen.append(1)\n\ndef test_empty():\n    assert seen == []\n"
    (made.tree.path / "back" / "test_order.py").write_text(tests)
    proof = made.prove("c", "t")
    assert (proof.flaky, proof.report.verdict) == (frozenset(), RunVerdict.FAILED)
    assert [case.id for case in proof.report.failing] == ["test_order.py::test_empty"]
    assert runs(tmp_path, "back") == 3


@pytest.mark.parametrize(
    ("reruns", "verdict"), [(0, RunVerdict.FAILED), (1, RunVerdict.FAILED), (2, RunVerdict.PASSED)]
)
def test_reruns_are_exhausted(prover: Any, tmp_path: Path, reruns: int, verdict: RunVerdict) -> None:
    proof = prover({"back": PASSES_THIRD}, reruns=reruns).prove("c", "t")
    assert proof.report.verdict is verdict
    assert proof.flaky == ({"test_it.py::test_sometimes"} if reruns == 2 else frozenset())
    assert runs(tmp_path, "back") == reruns + 1


def test_two_tests_that_fail_by_turns_are_flaky_and_no_success(prover: Any, tmp_path: Path) -> None:
    made = prover(
        {"back": "assert len(seen.read_text()) % 2", "web": "assert len(seen.read_text()) % 2 == 0"}
    )
    proof = made.prove("c", "t")
    assert proof.flaky == {"back: test_it.py::test_sometimes", "web: test_it.py::test_sometimes"}
    assert proof.report.verdict is RunVerdict.FAILED
    assert runs(tmp_path, "back") == 3


def test_a_run_that_dies_is_no_success_that_makes_a_failure_flaky(prover: Any) -> None:
    body = "import os\n    assert len(seen.read_text()) > 1\n    os._exit(0)"
    proof = prover({"back": body}).prove("c", "t")
    assert (proof.flaky, proof.report.verdict) == (frozenset(), RunVerdict.FAILED)


@pytest.mark.parametrize("more", [{}, {"web": STEADY}])
def test_a_test_that_skips_itself_when_run_again_has_not_passed(prover: Any, more: dict[str, str]) -> None:
    assert prover({"back": SKIPS_THEN, **more}).prove("c", "t").flaky == set()


def test_a_test_that_is_gone_when_run_again_has_not_passed(prover: Any, tmp_path: Path) -> None:
    made = prover({"back": STEADY})
    text = (
        "import pathlib\nseen = pathlib.Path({!r})\nif not seen.exists():\n"
        "    def test_gone():\n        seen.write_text('x')\n        assert 0\n"
    )
    (made.tree.path / "back" / "test_gone.py").write_text(text.format(str(tmp_path / "gone")))
    proof = made.prove("c", "t")
    assert (proof.flaky, proof.report.verdict) == (frozenset(), RunVerdict.PASSED)
    assert proof.case("test_gone.py::test_gone") is None


def test_each_run_begins_in_a_clean_tree(prover: Any, tmp_path: Path) -> None:
    """A file that the first run leaves in the tree does not make the second one pass."""
    made = prover(
        {
            "back": "left = pathlib.Path('left.txt')\n    there = left.exists()\n    left.touch()\n    assert there"
        }
    )
    left = made.tree.path / "back" / "left.txt"
    made.tree.move_to = lambda _: left.unlink(missing_ok=True)
    proof = made.prove("c", "t", repeat=lambda report: report.cases, times=2)
    assert (proof.flaky, proof.report.verdict) == (frozenset(), RunVerdict.FAILED)


def test_more_failures_than_can_be_flakes_are_not_run_again(prover: Any, tmp_path: Path) -> None:
    made = prover({"back": STEADY})
    many = "import pytest\n\n@pytest.mark.parametrize('n', range(30))\ndef test_n(n):\n    assert 0\n"
    (made.tree.path / "back" / "test_many.py").write_text(many)
    assert made.prove("c", "t").report.verdict is RunVerdict.FAILED
    assert runs(tmp_path, "back") == 1


def test_a_suite_that_fails_by_its_exit_code_alone_is_not_passed(prover: Any, tmp_path: Path) -> None:
    made = prover({"back": PASSES_THEN})
    (made.tree.path / "back" / "conftest.py").write_text(
        "def pytest_sessionfinish(session):\n    session.exitstatus = 1\n"
    )
    proof = made.prove("c", "t")
    assert proof.report.verdict is RunVerdict.FAILED


def test_tests_that_change_between_runs_are_found_in_every_suite(prover: Any) -> None:
    made = prover({"back": STEADY, "web": "assert len(seen.read_text()) < 2"})
    proof = made.prove("c", "t", repeat=lambda report: report.cases, times=2)
    assert proof.flaky == {"web: test_it.py::test_sometimes"}


def test_a_suite_that_cannot_choose_tests_is_run_again_as_a_whole(prover: Any, tmp_path: Path) -> None:
    made = prover({"back": PASSES_THEN})
    made.suites = tuple(replace(one, framework=replace(one.framework, select=None)) for one in made.suites)
    proof = made.prove("c", "t")
    assert (proof.flaky, proof.report.verdict) == ({"test_it.py::test_sometimes"}, RunVerdict.PASSED)


@pytest.mark.parametrize("kept", [b'{"forged": true}', b""])
def test_evidence_whose_bytes_are_not_those_of_the_record_is_no_evidence(prover: Any, kept: bytes) -> None:
    """A loose object can be overwritten on this disk; git hands out what it finds (T24)."""
    made = prover({"one": STEADY})
    proof = made.prove("0" * 40, "tree")
    blobs: dict[str, bytes] = {}
    made.blobs = SimpleNamespace(evidence=lambda data: blobs.setdefault("blob", data) and "blob")
    made.read_blob = lambda name: blobs[name]
    record = Baseline(tests=made.evidence(proof))
    again = made.recorded("tree", [record])
    assert again is not None
    assert again.report.counts == proof.report.counts
    blobs["blob"] = kept
    assert made.recorded("tree", [record]) is None
