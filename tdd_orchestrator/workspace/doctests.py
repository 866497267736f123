"""Find doctests: examples in Python docstrings, which belong to RED if the test command runs them."""

from __future__ import annotations

_QUOTES = ('"""', "'''")


def split(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a file without its examples and without blank lines, and each example: its source and what it
    prints.

    An example begins with `>>>` and ends before a blank line, before the next example or where its docstring
    ends. A line with quotes that may end the docstring is never a part of one.
    """
    code: list[str] = []
    examples: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        stripped = line.strip()
        if any(quotes in line for quotes in _QUOTES) or not stripped:
            inside = False
        elif stripped.startswith(">>>"):
            inside = True
            examples.append([])
        if inside:
            examples[-1].append(stripped)
        elif stripped:
            code.append(line.rstrip())
    return "\n".join(code), tuple("\n".join(example) for example in examples)


def only_examples_changed(before: str, after: str) -> bool:
    """Whether two versions differ in nothing but their examples."""
    return split(before)[0] == split(after)[0]


def keeps_examples(before: str, after: str) -> bool:
    """Whether every example of ``before`` is in ``after`` as it was."""
    left = list(split(after)[1])
    for example in split(before)[1]:
        if example not in left:
            return False
        left.remove(example)
    return True
