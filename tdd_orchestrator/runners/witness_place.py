"""Where a witness is put: files of ``witnesses/``, which run in the tests' interpreter and never in ours, and its orders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

_FILES = Path(__file__).with_name("witnesses")


def put(kind: str, folder: Path, nonce: str, orders: Mapping[str, object]) -> tuple[str, Path]:
    """The name of the witness for ``kind`` (pytest, unittest) as a module, random, and the new folder it lies in.

    ``folder``: where it is to write its lines; its own is made beside it. ``orders``: what it is told besides.
    """
    name, home = f"w{nonce}", folder.parent / "plugin"
    home.mkdir()
    parts = {file.stem.removeprefix(f"for_{kind}"): file for file in _FILES.glob(f"for_{kind}*.py")}
    shared = {f"_{file.stem}": file for file in _FILES.glob("shared*.py")}
    for part, file in {**parts, **shared}.items():
        (home / f"{name}{part}.py").write_bytes(file.read_bytes())
    told = {"folder": str(folder), "nonce": nonce, **orders}
    (home / "orders.json").write_text(json.dumps(told), encoding="utf-8")
    return name, home
