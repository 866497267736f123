"""The same signs (T9) in other languages than Python, by patterns: a table of rows, one for each language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tdd_orchestrator.late import Late

_SAID = 8  # signs that are told of one file


@dataclass(frozen=True, slots=True)
class _Row:
    """``always``: an object that is equal to everything; ``caller``: the code looks at who calls it; ``fixed``: a fixed
    answer for a value (its first group)."""

    suffixes: tuple[str, ...]
    always: Late
    caller: Late
    fixed: Late


def _row(suffixes: str, always: str, caller: str, fixed: str) -> _Row:
    return _Row(tuple(suffixes.split()), Late(always), Late(caller), Late(fixed))


_VALUE = r"(?P<value>-?\d+(?:\.\d+)?|\"[^\"\n]{2,}\"|'[^'\n]{2,}')"
_OTHER = _VALUE.replace("?P<value>", "?P<other>")
_ANSWER = r"(?:-?\d+(?:\.\d+)?|\"[^\"\n]*\"|'[^'\n]*'|true|false|nil|null)"
_ROWS = (
    _row(".js .jsx .ts .tsx .mjs .cjs .mts .cts",
         r"\[?\bSymbol\.toPrimitive\]?\s*[:=(]|\bvalueOf\s*[:=]\s*(?:\(\)\s*=>|function)", r"\bnew Error\(\)\.stack|\bmodule\.parent\b|\bError\.captureStackTrace\b",
         rf"===?\s*{_VALUE}\s*\)?\s*(?:\{{\s*)?(?:return|\?)\s*{_ANSWER}\s*[;:}}]|\bcase\s+{_OTHER}\s*:\s*return\s+{_ANSWER}"),
    _row(".go", r"(?!)", r"\bruntime\.(?:Callers?|FuncForPC)\(", rf"==\s*{_VALUE}\s*\{{\s*return\s+{_ANSWER}|\bcase\s+{_OTHER}\s*:\s*return\s+{_ANSWER}"),
    _row(".rb", r"\bdef (?:\w+\.)?(?:==|eql\?|equal\?|===)\s*\(?[^)\n]*\)?\s*(?:=\s*true|;\s*true|\n\s*true\s*\n)|define_(?:singleton_)?method\(?\s*:==",
         r"\bcaller(?:_locations)?\b|\bbinding\.of_caller\b",
         rf"\breturn\s+{_ANSWER}\s+if\s+\w+\s*==\s*{_VALUE}|==\s*{_OTHER}\s*\?\s*{_ANSWER}\s*:"),
    _row(".pm .pl", r"use overload[^;]*(?:'eq'|\"eq\"|'=='|\"==\"|\beq|bool)\s*=>\s*sub\s*\{\s*(?:return\s+)?1\s*;?\s*\}", r"(?<![>\w])caller\b",
         rf"\breturn\s+{_ANSWER}\s+if\s+\$\w+\s*==\s*{_VALUE}|==\s*{_OTHER}\s*\?\s*{_ANSWER}\s*:"),
    _row(".php", r"(?!)", r"\bdebug_backtrace\(|\bgetTraceAsString\(", rf"===?\s*{_VALUE}\s*\)\s*\{{?\s*return\s+{_ANSWER}|==\s*{_OTHER}\s*\?\s*{_ANSWER}\s*:"),
    _row(".rs", r"\bfn eq\(&self, _?\w*: [^)]*\) -> bool \{\s*true\s*\}", r"\bLocation::caller\(\)|\bBacktrace::", rf"==\s*{_VALUE}\s*\{{\s*(?:return\s+)?{_ANSWER}|^\s*{_OTHER}\s*=>\s*{_ANSWER}\s*,"),
    _row(".lua", r"__eq\s*=\s*function\s*\([^)]*\)\s*return\s+true", r"\bdebug\.(?:getinfo|traceback|getlocal)\b", rf"==\s*{_VALUE}\s+then\s+return\s+{_ANSWER}"),
    _row(".ex", r"(?!)", r"Process\.info\([^)]*:current_stacktrace|__STACKTRACE__", rf"\bdef \w+\({_VALUE}\),\s*do:\s*{_ANSWER}"),
    _row(".sh .bash", r"(?!)", r"\bFUNCNAME\b|\bBASH_LINENO\b|\bcaller\b\s+\d", rf"(?:-eq|=)\s*{_VALUE}\s*\]+\s*(?:&&|;\s*then)\s*echo\s+{_ANSWER}"),
)  # fmt: skip
_LITERALS = re.compile(r"-?\b\d+(?:\.\d+)?\b|\"[^\"\n]{2,}\"|'[^'\n]{2,}'")
_COMMON = frozenset({"0", "1", "-1"})


def text_suspicions(tests: Sequence[tuple[str, str]], path: str, before: str, after: str) -> list[str]:
    """As :func:`suspicions.suspicions`, for a file whose language has a row; nothing for others."""
    row = next((one for one in _ROWS if path.endswith(one.suffixes)), None)
    if row is None:
        return []
    values = {value for _, text in tests for value in _LITERALS.findall(text)} - _COMMON
    stems = [(name, name.rsplit("/", 1)[-1].rsplit(".", 1)[0]) for name, _ in tests]
    known = frozenset(line.strip() for line in before.splitlines())
    told = []
    for number, line in enumerate(after.splitlines(), start=1):
        what = _sign(row, line, values, stems) if line.strip() not in known and len(line) < 2000 else ""
        if what:
            told.append(f"{path}:{number}: {what}: `{line.strip()[:100]}`")
    return list(dict.fromkeys(told))[:_SAID]


def _sign(row: _Row, line: str, values: set[str], stems: Sequence[tuple[str, str]]) -> str:
    if row.always.search(line):
        return "an object that is equal to everything"
    if row.caller.search(line):
        return "the code looks at who calls it"
    named = next((name for name, stem in stems if re.search(rf"['\"`/]{re.escape(stem)}\b", line)), "")
    if named:
        return f"the code names its test file {named}"
    for found in row.fixed.finditer(line):
        value = next((group for group in found.groupdict().values() if group), "")
        if value in values:
            return f"a fixed answer for {value}, a value of the test"
    return ""
