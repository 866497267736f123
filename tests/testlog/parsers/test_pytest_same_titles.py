"""Failures under one title, of a class that several modules import, are those of the summary's lines in order."""

from __future__ import annotations

from pathlib import Path

from tdd_orchestrator.testlog.read import read

OUTPUT = """\
FF                                                                       [100%]
=================================== FAILURES ===================================
________________________________ TestBase.test_a _______________________________

    def test_a(self):
>       assert self.value == 1
E       assert 2 == 1

tests/test_base.py:4: AssertionError
________________________________ TestBase.test_a _______________________________

    def test_a(self):
>       assert self.value == 1
E       assert 3 == 1

tests/test_base.py:4: AssertionError
=========================== short test summary info ============================
FAILED tests/test_base.py::TestBase::test_a - assert 2 == 1
FAILED tests/test_more.py::TestBase::test_a - assert 3 == 1
2 failed in 0.02s
"""


def test_each_failure_has_its_own_message_and_place(tmp_path: Path) -> None:
    output = tmp_path / "output.txt"
    output.write_text(OUTPUT, encoding="utf-8")
    failing = read(output, exit_code=1).failing
    assert [(case.id, case.message, case.line) for case in failing] == [
        ("tests/test_base.py::TestBase::test_a", "assert 2 == 1", 4),
        ("tests/test_more.py::TestBase::test_a", "assert 3 == 1", 4),
    ]
