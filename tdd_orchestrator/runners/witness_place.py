"""Where a witness is put: files of ``witnesses/``, which run in the tests' interpreter and never in ours, and its orders."""

from __future__ import annotations

import functools
import json
import marshal
import sys
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER
from pathlib import Path

_FILES = Path(__file__).with_name("witnesses")
_HEAD = (
    MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
)  # of compiled code that is not compared with its source


def put(kind: str, folder: Path, nonce: str, orders: Mapping[str, object]) -> tuple[str, Path]:
    """The name of the witness for ``kind`` (pytest, unittest) as a module, random, and the new folder it lies in.

    ``folder``: where it is to write its lines; its own is made beside it. ``orders``: what it is told besides.
    """
    name, home = f"w{nonce}", folder.parent / "plugin"
    home.mkdir()
    parts = {file.stem.removeprefix(f"for_{kind}"): file for file in _FILES.glob(f"for_{kind}*.py")}
    shared = {f"_{file.stem}": file for file in _FILES.glob("shared*.py")}
    compiled = home / "__pycache__"
    compiled.mkdir()
    for part, file in {**parts, **shared}.items():
        text, code = _read(file)
        (home / f"{name}{part}.py").write_bytes(text)
        (compiled / f"{name}{part}.{sys.implementation.cache_tag}.pyc").write_bytes(code)
    told = {"folder": str(folder), "nonce": nonce, **orders}
    (home / "orders.json").write_text(json.dumps(told), encoding="utf-8")
    return name, home


@functools.cache
def _read(file: Path) -> tuple[bytes, bytes]:
    """A part's text, and its code as our own Python compiled it: a run by the same version need not do that again, and
    any other passes it over."""
    return file.read_bytes(), _HEAD + marshal.dumps(
        SourceFileLoader(file.stem, str(file)).get_code(file.stem)
    )
