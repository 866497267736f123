"""Long logs keep the first failure, the assertion and the project's frames."""

from __future__ import annotations

import time

from pace import within

from tdd_orchestrator.prompting.logs import cut_log


def test_a_short_log_is_itself() -> None:
    assert cut_log("one\ntwo\n", 100) == "one\ntwo"


def test_the_first_failure_is_kept_out_of_a_long_log() -> None:
    noise = [f"collected thing number {n}" for n in range(4000)]
    frames = [f"/usr/lib/python3/site-packages/x/y.py:{n}: in call" for n in range(300)]
    body = [
        *noise,
        "shop/cart.py:12: in total",
        "E   assert 3 == 4",
        *frames,
        "E   assert 9 == 8",
        *noise,
        "1 failed, 7 passed",
    ]
    cut = cut_log("\n".join(body), 2_000)
    assert len(cut) < 2_200
    assert "E   assert 3 == 4" in cut
    assert "shop/cart.py:12: in total" in cut
    assert "E   assert 9 == 8" in cut
    assert cut.endswith("1 failed, 7 passed")
    assert "lines cut ...]" in cut
    assert cut.index("assert 3 == 4") < cut.index("assert 9 == 8")


def test_a_failure_in_the_middle_of_ten_megabytes_is_found() -> None:
    noise = [f"tests/test_x.py::test_{n} PASSED" for n in range(160_000)]
    body = [*noise, "shop/cart.py:12: in total", "E   assert 3 == 4", *noise, "1 failed, 320000 passed"]
    text = "\n".join(body)
    assert len(text) > 10_000_000
    begun = time.process_time()
    cut = cut_log(text, 3_000)
    assert time.process_time() - begun < within(5)
    assert "shop/cart.py:12: in total\nE   assert 3 == 4" in cut
    assert cut.endswith("1 failed, 320000 passed")


def test_what_says_nothing_does_not_fill_the_room() -> None:
    noise = [f"tests/test_x.py::test_{n} PASSED" for n in range(2_000)]
    cut = cut_log("\n".join([*noise, "E   assert 3 == 4", *noise]), 6_000)
    assert cut.count("PASSED") < 40


def test_without_any_sign_the_end_is_kept() -> None:
    cut = cut_log("\n".join(f"step {n} of the build" for n in range(5_000)), 1_000)
    assert cut.endswith("step 4999 of the build")
    assert "step 4980 of the build" in cut
    assert len(cut) > 600


def test_project_frames_before_foreign_ones() -> None:
    foreign = [f'  File "/venv/lib/python3.11/site-packages/a/b.py", line {n}, in f' for n in range(500)]
    cut = cut_log(
        "\n".join(["boom: Error", *foreign, '  File "app/core.py", line 7, in run', *foreign, "end"]), 1_500
    )
    assert 'File "app/core.py", line 7' in cut


def test_bounded_whatever_comes() -> None:
    for text in (
        "x" * 8_000_000,
        "Error\n" * 1_000_000,
        "\n" * 3_000_000,
        "\x1b[31m\x00" * 500_000,
        "a.b:1 " * 700_000,
    ):
        begun = time.process_time()
        assert len(cut_log(text, 3_000)) < 4_000
        assert time.process_time() - begun < within(5)


def test_hostile_lines_take_no_time() -> None:
    for piece in ("a.", "error", "( "):
        line = piece * (390 // len(piece))
        begun = time.process_time()
        cut_log("\n".join([line] * 10_000), 3_000)
        assert time.process_time() - begun < within(5), piece
