"""A hidden variant of a parametrised pytest test: the same rows with other inputs, under the same names.

What the right answer to the new input is, nobody knows; but code that was written for the old values gives itself
away: it raises, answers nothing, or gives the old answer still.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.runners.source_model import Unparsable
from tdd_orchestrator.runners.sources_python import parsed

Row = tuple[tuple[str, object, object], ...]  # (parameter, its value, the perturbed value)


@dataclass(frozen=True, slots=True)
class Variant:
    """``text`` is the whole test file; ``rows`` tells, by the id of a case, what was changed in it."""

    text: str
    rows: dict[str, Row]


def variant_of(text: str, path: str, function: str, ids: Sequence[str]) -> Variant | None:
    """``ids``: the cases of ``function`` (without its class) in the order of its rows. None where the test has not
    exactly one list of plain rows, or where input and expected value cannot be told apart."""
    try:
        tree = parsed(text, path)
    except Unparsable:
        return None
    node = next(
        (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name == function), None
    )
    marks = [one for one in node.decorator_list if _is_parametrize(one)] if node else []
    if node is None or len(marks) != 1 or not isinstance(marks[0], ast.Call):
        return None
    call = marks[0]
    names, rows = _table(call)
    inputs = _inputs(node, names)
    if not inputs or len(rows) != len(ids) or any("[" not in one for one in ids):
        return None
    changed = {}
    for identity, row in zip(ids, rows, strict=True):
        cells = row.elts if len(names) > 1 and isinstance(row, ast.Tuple | ast.List) else [row]
        if len(cells) != len(names):
            return None
        changed[identity] = tuple(_perturb(name, cell) for name, cell in zip(names, cells, strict=True)
                                  if name in inputs and _plain(cell))  # fmt: skip
    if not any(changed.values()):
        return None
    labels: list[ast.expr] = [ast.Constant(one[one.index("[") + 1 : -1]) for one in ids]
    call.keywords = [ast.keyword("ids", ast.List(labels, ast.Load()))]
    return Variant(
        ast.unparse(ast.fix_missing_locations(tree)), {key: row for key, row in changed.items() if row}
    )


def told(case: Case, row: Row) -> str:
    """What the outcome of one varied row says against the code; empty where it answered, and answered otherwise."""
    with_what = ", ".join(f"{name}={new!r} instead of {old!r}" for name, old, new in row)
    if case.outcome is Outcome.PASSED:
        return f"with {with_what} the answer is still the same"
    if case.exception and case.exception.rsplit(".", 1)[-1] != "AssertionError":
        return f"with {with_what} the code raises {case.exception}"
    if "assert None ==" in case.message or "assert None ==" in case.detail:
        return f"with {with_what} the code answers None"
    return ""


def _is_parametrize(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.parametrize")


def _table(call: ast.Call) -> tuple[list[str], list[ast.expr]]:
    if len(call.args) != 2 or call.keywords or not isinstance(call.args[1], ast.List | ast.Tuple):
        return [], []
    named = call.args[0]
    if isinstance(named, ast.Constant) and isinstance(named.value, str):
        return [name.strip() for name in named.value.split(",") if name.strip()], list(call.args[1].elts)
    cells = named.elts if isinstance(named, ast.Tuple | ast.List) else []
    return [str(cell.value) for cell in cells if isinstance(cell, ast.Constant)], list(call.args[1].elts)


def _inputs(node: ast.FunctionDef, names: Sequence[str]) -> set[str]:
    """Parameters that go into a call, where another one is what the answer is compared with."""
    expected, given = set(), set()
    for one in ast.walk(node):
        if isinstance(one, ast.Compare) and any(isinstance(op, ast.Eq) for op in one.ops):
            operands = (one.left, *one.comparators)
            expected |= {operand.id for operand in operands if isinstance(operand, ast.Name)}
        elif isinstance(one, ast.Call):
            words = (*one.args, *(keyword.value for keyword in one.keywords))
            given |= {word.id for word in words if isinstance(word, ast.Name)}
    expected &= set(names)
    return (given & set(names)) - expected if expected else set()


def _plain(cell: ast.expr) -> bool:
    return (
        isinstance(cell, ast.Constant)
        and isinstance(cell.value, int | float | str)
        and not isinstance(cell.value, bool)
    )


def _perturb(name: str, cell: ast.expr) -> tuple[str, object, object]:
    """Another value of the same kind, as near to the old one as may be; the cell is changed in place."""
    assert isinstance(cell, ast.Constant)
    old = cell.value
    cell.value = _other(old)
    return name, old, cell.value


def _other(value: object) -> int | float | str:
    if isinstance(value, int):
        return value + 7
    if isinstance(value, float):
        return value + 1.5
    text = str(value)
    turned = text[1:] + text[:1]
    return turned if turned != text else text * 2 or "a"
