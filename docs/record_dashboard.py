"""Writes docs/images/dashboard-*.webp: the dashboard in Chromium on a repository that real cycles made: `make pictures`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT / "tests"), str(_ROOT / "tests" / "journeys")]

from browser.gallery import gallery  # noqa: E402
from browser.test_dashboard import Dashboard  # noqa: E402


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="tdd-pictures-") as name,
        Dashboard(gallery(Path(name)).root) as shown,
    ):
        shown.look("pictures", _ROOT / "docs" / "images")


if __name__ == "__main__":
    main()
