"""The API against its own document, by schemathesis: hundreds of requests, right and wrong, at the real server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit import Kata
from warm import ROOT

pytestmark = pytest.mark.slow
ST = Path(sys.prefix) / "api" / "bin" / "st"
# what never ends, and what would start whole cycles
LEFT_OUT = ("/api/v1/events", "/api/v1/actions/{name}")


@pytest.mark.skipif(not ST.exists(), reason="schemathesis is not installed (`make api` does it)")
def test_the_api_does_what_its_document_says(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan("one")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "tdd_orchestrator", "dashboard", "--no-browser"]
    server = subprocess.Popen(words, cwd=kata.root, env=env, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address, _, token = server.stdout.readline().strip().partition("/?token=")
    left_out = [word for path in LEFT_OUT for word in ("--exclude-path", path)]
    try:
        done = subprocess.run(
            [str(ST), "run", f"{address}/api/v1/openapi.json", "-H", f"Authorization: Bearer {token}", *left_out,
             "--phases", "examples,coverage,fuzzing", "--max-examples", "8", "--seed", "1", "--no-color", "--suppress-health-check", "all"],
            cwd=tmp_path, env=os.environ, capture_output=True, text=True, timeout=500, check=False,
        )  # fmt: skip
    finally:
        server.terminate()
        server.wait(20)
    assert done.returncode == 0, done.stdout[-6000:]
