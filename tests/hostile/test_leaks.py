"""What a refused attempt leaves behind: it is kept, and sent by `tdd sync`, so no secret may be in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from kit import GREEN, RED, Kata

KEY = "gh" + "p_" + "a1B2" * 9
VALUE = "Correct-Horse-7431"


def _objects(root: Path) -> str:
    words = ("git", "cat-file", "--batch-all-objects", "--batch")
    return subprocess.run(words, cwd=root, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def test_a_refused_secret_is_in_no_object(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    with_key = f"{RED}\nwrite('tests/test_key.py', 'KEY = \"{KEY}\"\\n')"
    with_value = f"{GREEN}\nwrite('setting.py', 'KEY = \"{VALUE}\"\\n')"
    kata.script(red=[with_key, RED], green=[with_value, GREEN], refactor=[""])
    done = kata.next(env={"SHOP_API_TOKEN": VALUE})
    assert done.code == 0, done.err
    assert kata.verdicts().count("forbidden_change") == 2
    held = _objects(kata.root)
    assert KEY not in held
    assert VALUE not in held
    assert "[redacted" in held, "the attempt itself is kept"
