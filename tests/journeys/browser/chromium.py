"""A real browser for the journeys: the system's Chromium, driven by Playwright from an environment of its own.

The environment is made once, in ``TDD_BROWSER_DIR`` (default: the user's cache folder), never in the repository, and
no browser is downloaded.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

PACKAGES = ("pytest>=8.2,<10", "playwright>=1.45,<2", "axe-playwright-python>=0.1.4,<1")


def _folder() -> Path:
    named = os.environ.get("TDD_BROWSER_DIR")
    person = Path(pwd.getpwuid(os.getuid()).pw_dir)  # not HOME: that is a sealed one in tests
    return Path(named) if named else person / ".cache" / "tdd-orchestrator" / "browser"


@cache
def browser() -> tuple[str, str, str]:
    """(Python with Playwright, Chromium, ""); or empty ones with the reason why there is none."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        return "", "", "Chromium is not here (Debian: apt-get install chromium)"
    python = _folder() / "bin" / "python"
    for command in (
        [sys.executable, "-m", "venv", str(_folder())],
        [str(python), "-m", "pip", "install", "-q", *PACKAGES],
    ):
        if python.exists() and _has_playwright(python):
            break
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL, check=False
        )
        if done.returncode != 0:
            said = [line for line in (done.stderr + done.stdout).splitlines() if "rror" in line] or [
                "no reason given"
            ]
            return "", "", f"Playwright cannot be installed ({said[0][:200]})"
    return str(python), chromium, ""


def _has_playwright(python: Path) -> bool:
    done = subprocess.run(
        [str(python), "-c", "import playwright, pytest, axe_playwright_python"],
        capture_output=True,
        check=False,
    )
    return done.returncode == 0
