"""What a control loads because its neighbour does: a runner that gives each file a process, or a fresh world, must load
the project's modules beside the control too, or what they do to the runner would not be seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_ENDINGS = ("", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", "/index.js", "/index.ts")


@dataclass(frozen=True, slots=True)
class _Load:
    """``named``: what the neighbour's text loads, in its first group; ``there``: whether the tree has it; ``line``: the
    control's own, which never fails the control by itself where its language has a way to say so."""

    placeholder: str
    named: re.Pattern[str]
    there: Callable[[Path, str, str], bool]  # tree, folder of the neighbour, what is named
    line: str


def _beside(tree: Path, folder: str, named: str) -> bool:
    return any((tree / folder / f"{named}{ending}").is_file() for ending in _ENDINGS)


def _package(tree: Path, folder: str, named: str) -> bool:
    path = named.replace("::", "/") + ".pm"
    return any((tree / base / path).is_file() for base in ("lib", "", folder, f"{folder}/lib"))


def _lua(tree: Path, folder: str, named: str) -> bool:
    path = named.replace(".", "/")
    return any(
        (tree / base / f"{path}{end}").is_file()
        for base in ("", "src", "lib")
        for end in (".lua", "/init.lua")
    )


def _always(tree: Path, folder: str, named: str) -> bool:
    return True


def _target(tree: Path, folder: str, named: str) -> bool:
    """A module of the package's own: what it defines may stand in front of the runner's."""
    name = named.split()[-1]
    return any((tree / base / name).is_dir() for base in ("Sources", "Source", "src", "srcs"))


_RELATIVE = re.compile(r"""(?:\bfrom\s+|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"](\.{1,2}/[^'"\n]+)['"]""")
_SWIFT = re.compile(r"^((?:@testable )?import \w+)[ \t]*$", re.MULTILINE)
_LOADS = (
    _Load("imports", _RELATIVE, _beside, 'import "{it}";\n'),
    _Load("requires", _RELATIVE, _beside, 'try { require("{it}"); } catch {}\n'),
    _Load("uses", re.compile(r"^[ \t]*(?:use|require)[ \t]+([A-Z]\w*(?:::\w+)*)\b", re.MULTILINE), _package, "eval { require {it} };\n"),
    _Load("sources", re.compile(r"^[ \t]*((?:source|\.|load)[ \t]+[^\s;&|][^\n;&|]*)$", re.MULTILINE), _always, "  {it}\n"),
    _Load("targets", _SWIFT, _target, "{it}\n"),
    _Load("modules", re.compile(r"""\brequire\s*\(?\s*["']([\w./-]+)["']"""), _lua, 'pcall(require, "{it}")\n'),
)  # fmt: skip


def loads(tree: Path, near: str, text: str) -> dict[str, str]:
    """For each placeholder of this kind the lines that load what the neighbour at ``near`` loads of the project."""
    folder = near.rpartition("/")[0]
    found = {}
    for one in _LOADS:
        named = [it for it in dict.fromkeys(one.named.findall(text)) if one.there(tree, folder, it)]
        found[one.placeholder] = "".join(one.line.replace("{it}", it) for it in named)
    return found
