"""UTF-16 is read as such only where it is: no verdict comes from a game with encodings."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from tdd_orchestrator.testlog.parsers.lines import all_lines
from tdd_orchestrator.testlog.read import read

GREEN = "============================= test session starts ==============================\ncollected 3 items\n\ntest_a.py ...   [100%]\n\n============================== 3 passed in 0.01s ===============================\n"
RED = (
    "============================= test session starts ==============================\ncollected 3 items\n\ntest_a.py .F.   [100%]\n\n"
    "=================================== FAILURES ===================================\n____ test_b ____\n\nE       assert 1 == 2\n\n"
    "test_a.py:5: AssertionError\n=========================== short test summary info ============================\n"
    "FAILED test_a.py::test_b - assert 1 == 2\n========================= 1 failed, 2 passed in 0.01s ==========================\n"
)
LE, BE = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE


@pytest.mark.parametrize("coding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["größe ✓ passed\r\n", "测试上一个 通过\n上\n", "only one line", ""])
def test_utf_16_is_read(coding: str, text: str) -> None:
    data = {"utf-16-le": LE, "utf-16-be": BE}[coding] + text.encode(coding)
    assert list(all_lines(data)) == text.splitlines()


@pytest.mark.parametrize(
    "data",
    [
        LE + RED.encode(),
        BE + RED.encode(),
        LE + b"\x00" + RED.encode(),
        LE + GREEN.encode("utf-16-le") + RED.encode(),
        BE + GREEN.encode("utf-16-be") + RED.encode(),
        LE + GREEN.encode("utf-16-le") + b"\x00" + RED.encode(),
        LE + RED.encode() + GREEN.encode("utf-16-le"),
        LE + RED.encode("utf-16-le"),
        LE + RED.encode("utf-16-le") + b"\xff",
        LE + ("x" * (1 << 20)).encode("utf-16-le") + GREEN.encode("utf-16-le") + RED.encode(),
        LE + GREEN.encode("utf-16-le") + "\n".join(RED.splitlines()).replace("", "\0").encode(),
    ],
    ids=range(11),
)
def test_a_red_run_is_red_whatever_its_bytes_pretend(data: bytes) -> None:
    assert read(data, exit_code=0).verdict.value in ("failed", "crashed", "unreadable")


@pytest.mark.parametrize("bom", [LE, BE])
def test_stray_bytes_in_front_of_a_log_change_nothing(bom: bytes, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(bom + b"starting\n" + GREEN.encode())
    assert read(log, exit_code=0).verdict.value == "passed"
    assert read(bom + b"starting\n" + RED.encode(), exit_code=1).verdict.value == "failed"


def test_a_short_red_line_of_eight_bits_is_not_lost_among_others() -> None:
    go = "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tx\t0.001s\n"
    red = b"--- FAIL: TestB (0.00s)\nFAIL\nFAIL\ty\t0.001s\nFAIL\n"
    assert read(LE + go.encode("utf-16-le") + red, exit_code=0).verdict.value != "passed"
    assert read(LE + red + go.encode("utf-16-le"), exit_code=0).verdict.value != "passed"
