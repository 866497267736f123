"""What an agent leaves in its output folder holds no secret afterwards."""

from __future__ import annotations

import os
from pathlib import Path

from tdd_orchestrator.agents.validate import read_left, scrub
from tdd_orchestrator.redaction import redact

KEY = "sk-ant-api03-" + "Zq9" * 30


def test_what_is_no_plain_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "investigation.md").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "plain").write_text("words")
    assert read_left(tmp_path / "investigation.md") is None
    assert read_left(tmp_path / "pipe") is None
    assert read_left(tmp_path / "none") is None
    assert read_left(tmp_path / "plain") == b"words"


def test_text_is_redacted_and_capped_and_the_rest_left_alone(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "report.md").write_text(f"used {KEY}\n")
    (tmp_path / "deep/notes.txt").write_text(KEY)
    (tmp_path / "flood.log").write_text("y" * (3 << 20))
    image = b"\x89PNG\0" + KEY.encode()
    (tmp_path / "shot.png").write_bytes(image)
    latin = b"caf\xe9\n"
    (tmp_path / "latin.txt").write_bytes(latin)
    outside = tmp_path.parent / "outside.txt"
    outside.write_text(KEY)
    (tmp_path / "link").symlink_to(outside)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "transcript.log").write_text(KEY)

    scrub(tmp_path, redact, besides="transcript.log")

    assert (tmp_path / "report.md").read_text() == "used [redacted:anthropic]\n"
    assert KEY not in (tmp_path / "deep/notes.txt").read_text()
    assert (tmp_path / "flood.log").stat().st_size == 1 << 20
    assert (tmp_path / "shot.png").read_bytes() == image
    assert (tmp_path / "latin.txt").read_bytes() == latin, "what holds no secret is not written again"
    assert outside.read_text() == KEY
    assert (tmp_path / "transcript.log").read_text() == KEY, "that one is ours"


def test_no_part_of_a_secret_is_left_where_a_file_is_cut(tmp_path: Path) -> None:
    edge = 1 << 20
    for name, before in (("a.log", edge - 20), ("b.log", edge - len(KEY) + 1)):
        (tmp_path / name).write_text("word " * (before // 5) + " " * (before % 5) + KEY + " more" * 100)
    scrub(tmp_path, redact)
    for name in ("a.log", "b.log"):
        left = (tmp_path / name).read_text()
        assert len(left) <= edge
        assert "sk-ant" not in left
