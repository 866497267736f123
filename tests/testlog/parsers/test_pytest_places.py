"""Where pytest's first failure stands, however the failure was told: at once, in one line, by a worker's death."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.testlog.read import read

SAMPLES = Path(__file__).parents[1] / "samples" / "pytest"


@pytest.mark.parametrize("name", ["instafail", "sugar_instant", "tb_line_9", "pretty", "narrow_terminal"])
def test_the_place_the_words_and_the_type_are_found(name: str) -> None:
    first = read(SAMPLES / name / "output.txt", exit_code=1).failing[0]
    assert first.file.endswith("test_red.py")
    assert (first.line, first.message, first.exception.rpartition(".")[2]) == (7, "too much: 5", "Money")


def test_a_dead_worker_is_told_under_its_test() -> None:
    (first,) = read(SAMPLES / "worker_crash" / "output.txt", exit_code=1).failing
    assert first.name == "test_segv.py::test_segv"
    assert first.message == "worker 'gw0' crashed while running 'test_segv.py::test_segv'"


def test_a_module_that_is_collected_twice_has_one_build_error() -> None:
    """With --doctest-modules, pytest names a test file that does not load once for each of its kinds of tests."""
    errors = read(SAMPLES / "doctest_module_missing_name" / "output.txt", exit_code=2).build_errors
    assert [error.message.partition(" (")[0] for error in errors] == [
        "cannot import name 'double' from 'calc'"
    ]


ROOT_ABOVE = """\
==================================== ERRORS ====================================
___________________ ERROR collecting shop/tests/test_net.py ____________________
ImportError while importing test module '/home/ada/work/shop/tests/test_net.py'.
Traceback:
tests/test_net.py:1: in <module>
    from shop import net
E   ModuleNotFoundError: No module named 'shop'
=========================== short test summary info ============================
ERROR tests/test_net.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
1 error in 0.82s
"""


def test_a_module_is_named_as_in_the_summary_where_pytest_s_root_is_a_folder_above() -> None:
    reading = read(ROOT_ABOVE.encode(), exit_code=2)
    (error,) = reading.build_errors
    assert (error.file, error.line, error.message) == ("tests/test_net.py", 1, "No module named 'shop'")
    assert [case.id for case in reading.failing] == ["tests/test_net.py"]
