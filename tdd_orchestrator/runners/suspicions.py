"""Signs, in Python code, that it was written for the values of its test and not for what they stand for (T9).

Signs are evidence for a reader, never a refusal: a table of roman numerals looks just like one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from tdd_orchestrator.runners.source_model import Unparsable
from tdd_orchestrator.runners.sources_python import parsed

Literal = str | int | float | bytes
_SAID = 8  # signs that are told of one file
_FREE = (ast.Name, ast.Attribute, ast.Call, ast.Await, ast.Yield)
_LOOKS = ("inspect.getsource", "inspect.stack", "inspect.currentframe", "traceback.extract_stack")


def suspicions(tests: Sequence[tuple[str, str]], path: str, before: str, after: str) -> list[str]:
    """One sentence for each sign that ``after`` has and ``before`` had not, with file and line. ``tests``: (path, text)
    of the test files that the code was written for. Nothing where a text is no Python: the run says so better."""
    try:
        code = parsed(after, path)
        values = {value for name, text in tests for value in _values_of(parsed(text, name))}
    except Unparsable:
        return []
    lines, known = after.splitlines(), frozenset(line.strip() for line in before.splitlines())
    found = [*_special_cases(code, values), *_test_readers(code, [name for name, _ in tests]), *_always(code)]
    told = []
    for line, what in sorted(found):
        text = lines[line - 1].strip() if line <= len(lines) else ""
        if text not in known:
            told.append(f"{path}:{line}: {what}: `{text[:100]}`")
    return list(dict.fromkeys(told))[:_SAID]


def _values_of(tree: ast.Module) -> set[Literal]:
    """Values that tests give or expect; those that all code compares with are left out."""
    found: set[Literal] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            found |= {value for part in (node, *node.decorator_list) for value in _literals(part)}
    return found


def _literals(node: ast.AST) -> Iterator[Literal]:
    for one in ast.walk(node):
        if not isinstance(one, ast.Constant) or isinstance(one.value, bool):
            continue
        if isinstance(one.value, Literal) and one.value not in (0, 1, "", b""):
            yield one.value


def _special_cases(code: ast.Module, values: set[Literal]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(code):
        for line, asked, outcomes in _choices(node):
            hit = [value for value in asked if value in values]
            if hit and outcomes and all(_fixed(one) for one in outcomes):
                yield line, f"a fixed answer for {hit[0]!r}, a value of the test"


def _choices(node: ast.AST) -> Iterator[tuple[int, list[Literal], list[ast.expr]]]:
    """(line, values that are asked for, what comes of it)."""
    if isinstance(node, ast.If):
        yield node.lineno, _compared(node.test), _results(node.body)
    elif isinstance(node, ast.IfExp):
        yield node.lineno, _compared(node.test), [node.body]
    elif isinstance(node, ast.match_case):
        yield node.pattern.lineno, list(_literals(node.pattern)), _results(node.body)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant | ast.Tuple):
                yield key.lineno, list(_literals(key)), [value]


def _compared(test: ast.expr) -> list[Literal]:
    found: list[Literal] = []
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and all(isinstance(op, ast.Eq | ast.In | ast.Is) for op in node.ops):
            for operand in (node.left, *node.comparators):
                if isinstance(operand, ast.Constant | ast.Tuple | ast.List | ast.Set | ast.UnaryOp):
                    found += _literals(operand)
    return found


def _results(body: Sequence[ast.stmt]) -> list[ast.expr]:
    return [
        node.value for node in body if isinstance(node, ast.Return | ast.Assign) and node.value is not None
    ]


def _fixed(value: ast.expr) -> bool:
    return not any(isinstance(node, _FREE) for node in ast.walk(value))


def _test_readers(code: ast.Module, tests: Sequence[str]) -> Iterator[tuple[int, str]]:
    stems = {path.rsplit("/", 1)[-1].removesuffix(".py"): path for path in tests}
    for node in ast.walk(code):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            hit = next((path for stem, path in stems.items() if stem in node.value), "")
            if hit:
                yield node.lineno, f"the code names its test file {hit}"
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in _LOOKS:
            yield node.lineno, "the code looks at who calls it"


def _always(code: ast.Module) -> Iterator[tuple[int, str]]:
    """Comparisons that do not look at what they compare with. A base class's own, borrowed by its name, does."""
    for node in ast.walk(code):
        for name, line, compares in _comparisons(node):
            if isinstance(compares, ast.FunctionDef | ast.Lambda):
                returned = _returned(compares)
                if returned and _all_are(returned, name == "__eq__"):
                    yield line, "an object that is equal to everything"
                elif not _looks_at_other(compares):
                    yield line, f"an {name} that does not look at what it compares with"
            elif not isinstance(compares, ast.Name | ast.Constant) and not _of_a_base(compares, name):
                yield line, f"an {name} that is no function of its own"


def _comparisons(node: ast.AST) -> Iterator[tuple[str, int, ast.FunctionDef | ast.expr]]:
    """(name, line, what it is) of each ``__eq__`` and ``__ne__``."""
    if isinstance(node, ast.FunctionDef):
        bound: list[tuple[str, ast.FunctionDef | ast.expr]] = [(node.name, node)]
    elif isinstance(node, ast.Assign):
        bound = [(one.id, node.value) for one in node.targets if isinstance(one, ast.Name)]
        bound += [(one.attr, node.value) for one in node.targets if isinstance(one, ast.Attribute)]
    elif isinstance(node, ast.Dict):
        keys = (one.value if isinstance(one, ast.Constant) else "" for one in node.keys)
        bound = [(str(key), value) for key, value in zip(keys, node.values, strict=True)]
    else:
        return
    yield from ((name, value.lineno, value) for name, value in bound if name in ("__eq__", "__ne__"))


def _looks_at_other(function: ast.FunctionDef | ast.Lambda) -> bool:
    """Or answers nothing at all: it raises, or leaves the answer to the other."""
    given = [*function.args.posonlyargs, *function.args.args][1:]
    others = {one.arg for one in (*given, function.args.vararg) if one is not None}
    body = function.body if isinstance(function.body, list) else [function.body]
    named = {one.id for part in body for one in ast.walk(part) if isinstance(one, ast.Name)}
    silent = all(
        isinstance(value, ast.Name) and value.id == "NotImplemented" for value in _returned(function)
    )
    return bool(named & others) or silent


def _returned(function: ast.FunctionDef | ast.Lambda) -> list[ast.expr | None]:
    if isinstance(function, ast.Lambda):
        return [function.body]
    return [one.value for one in ast.walk(function) if isinstance(one, ast.Return)]


def _of_a_base(value: ast.expr, name: str) -> bool:
    return isinstance(value, ast.Attribute) and value.attr == name


def _all_are(values: Iterable[ast.expr | None], wanted: bool) -> bool:
    return all(isinstance(value, ast.Constant) and value.value is wanted for value in values)
