"""Writes docs/images/demo.svg: `tdd demo` as a terminal of 100 columns shows it. Needs pyte: `make recording`."""

from __future__ import annotations

import os
import pty
import re
import struct
import sys
from collections.abc import Iterator
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

import pyte
from pyte.screens import Char
from rich.console import Console
from rich.text import Text

_COLUMNS, _ROWS = 100, 3000
_PICTURE = Path(__file__).parent / "images" / "demo.svg"
# fonts and marks that a browser would fetch: the reader has a fixed-width font of their own
_FETCHED = re.compile(r"@font-face \{.*?\}\s*|<!--.*?-->", re.DOTALL)
_SHOWN = (("$ tdd cycle run", "cycle 2:"), ("$ tdd verify", ""))
"""The stretches of the run that the picture has: from a line that begins so, to the one before the next."""


def main() -> None:
    screen = pyte.Screen(_COLUMNS, _ROWS)
    stream = pyte.ByteStream(screen)
    for piece in _run([sys.executable, "-m", "tdd_orchestrator", "demo"]):
        stream.feed(piece)
    console = Console(record=True, width=_COLUMNS, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for line in _cut(_lines(screen)):
        console.print(line, no_wrap=True, overflow="crop")
    _PICTURE.write_text(_FETCHED.sub("", console.export_svg(title="tdd demo")), encoding="utf-8")


def _run(command: list[str]) -> Iterator[bytes]:
    """What the command writes on a terminal of its own. Raises SystemExit where it fails."""
    child, terminal = pty.fork()
    if not child:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(_COLUMNS))
        os.execv(command[0], command)
    ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", 50, _COLUMNS, 0, 0))
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux's way to say that the other side has closed
            break
        if not piece:
            break
        yield piece
    if code := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise SystemExit(f"the demo ended with {code}")


def _lines(screen: pyte.Screen) -> list[Text]:
    rows = [[screen.buffer[y][x] for x in range(_COLUMNS)] for y in range(_ROWS)]
    lines = [_line(row) for row in rows]
    while lines and not lines[-1].plain:
        lines.pop()
    return lines


def _line(row: list[Char]) -> Text:
    line = Text()
    for char in row:
        color = "" if char.fg == "default" else f" {char.fg.replace('brown', 'yellow')}"
        line.append(char.data, style=(("bold" if char.bold else "") + color).strip() or None)
    line.rstrip()
    return line


def _cut(lines: list[Text]) -> Iterator[Text]:
    for number, (first, last) in enumerate(_SHOWN):
        begin = next(at for at, line in enumerate(lines) if line.plain.startswith(first))
        rest = lines[begin + 1 :]
        end = next((at for at, line in enumerate(rest) if last and last in line.plain), len(rest))
        if number:
            yield Text("…")
        yield from lines[begin : begin + 1 + end]


if __name__ == "__main__":
    main()
