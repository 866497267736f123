"""FRAMEWORKS: all rows, the one place that knows all languages."""

from __future__ import annotations

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.runners.framework import UNKNOWN, Framework
from tdd_orchestrator.runners.frameworks import (
    c_family,
    dotnet,
    functional,
    go,
    javascript,
    js_browser,
    js_node,
    jvm,
    native,
    php,
    python,
    ruby,
    rust,
    scripting,
)

FRAMEWORKS: tuple[Framework, ...] = (
    *python.ROWS,
    *javascript.ROWS,
    *js_node.ROWS,
    *js_browser.ROWS,
    *go.ROWS,
    *rust.ROWS,
    *c_family.ROWS,
    *jvm.ROWS,
    *dotnet.ROWS,
    *ruby.ROWS,
    *php.ROWS,
    *native.ROWS,
    *functional.ROWS,
    *scripting.ROWS,
)


def by_name(name: str) -> Framework:
    """The row of that name (``unknown`` is one). Raises Refused, with the nearest name, for any other."""
    if name == UNKNOWN.name:
        return UNKNOWN
    for row in FRAMEWORKS:
        if row.name == name:
            return row
    import difflib

    near = difflib.get_close_matches(name, [row.name for row in FRAMEWORKS], 1)
    hint = f"Did you mean {near[0]!r}?" if near else "`tdd doctor` lists the frameworks that are known."
    raise Refused(f"The test framework {name!r} is not known.", hint)
