"""Take single tests back out of a test file, as a person does who is told that they pass already."""

from __future__ import annotations

import ast
import re


def without_tests(path: str, text: str, before: str | None, names: set[str]) -> str:
    """``text`` without the tests in ``names``; one that ``before`` (the file at the base) has is put back as it was.

    A name is ``Class.test`` or ``test`` in Python, also of a test in a class, a function in Go, a title in JavaScript.
    """
    found, old = _tests(path, text), _tests(path, before or "")
    lines, old_lines = text.splitlines(keepends=True), (before or "").splitlines(keepends=True)
    for name, (first, last) in sorted(found.items(), key=lambda one: -one[1][0]):
        if not names.isdisjoint({name, name.rpartition(".")[2]}):
            lines[first:last] = old_lines[slice(*old[name])] if name in old else []
    return "".join(lines)


def _tests(path: str, text: str) -> dict[str, tuple[int, int]]:
    """Test name to its lines (first, one after the last)."""
    if path.endswith(".py"):
        return _python_tests(text)
    if path.endswith(".go"):
        return _blocks(text, re.compile(r"func ((?:Test|Fuzz)\w+)\("), "}")
    return _blocks(text, re.compile(r"""\s*(?:test|it)\(\s*(['"`])(?P<name>.+?)\1"""), "});")


def _python_tests(text: str) -> dict[str, tuple[int, int]]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    found: dict[str, tuple[int, int]] = {}
    for top in tree.body:
        inside = top.body if isinstance(top, ast.ClassDef) else [top]
        prefix = f"{top.name}." if isinstance(top, ast.ClassDef) else ""
        for node in inside:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                found[prefix + node.name] = (first - 1, node.end_lineno or node.lineno)
    return found


def _blocks(text: str, head: re.Pattern[str], end: str) -> dict[str, tuple[int, int]]:
    """Blocks from a head to the line that closes it at the same indentation."""
    lines = text.splitlines()
    found: dict[str, tuple[int, int]] = {}
    for number, line in enumerate(lines):
        match = head.match(line)
        if match is None:
            continue
        name = match.groupdict().get("name") or match.group(1)
        indent = line[: len(line) - len(line.lstrip())]
        ends = (indent + end, indent + end.rstrip(";"))  # standard style has no semicolons
        closing = next((n for n in range(number, len(lines)) if lines[n].rstrip() in ends), number)
        found[name] = (number, closing + 1)
    return found
