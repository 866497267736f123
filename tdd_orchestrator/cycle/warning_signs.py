"""Signs that a proven change deserves a person's look (E7): code written for its test, and removed code.
They warn and never refuse: a table of roman numerals looks like code written for its test. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.functions import emptied_functions, public_names
from tdd_orchestrator.languages.source import find_tests, imports, self_comparisons
from tdd_orchestrator.workspace.guard import Change

_MOST = 8  # warnings of one file
_SPECIAL, _FIXED = "a special case for", "a fixed answer"
_LONGEST = 2000  # characters of a line that is looked at
_LITERAL = re.compile(r"-?\b\d+(?:\.\d+)?\b|\"[^\"\n]{2,}\"|'[^'\n]{2,}'")
_NAME = re.compile(r"[A-Za-z_]\w*")
_COMMON = frozenset({"0", "1", "-1"})
_COMPARED = (
    re.compile(
        r"(?:[!=]==?|\s-eq|\beq|\[[^\]]*\s=|\b(?:case|when)\b[^:]*|\bin\s*[(\[{][^)\]}]*)\s*$"
    ),  # before the value
    re.compile(r"\s*(?:[!=]==?|=>|->|\]\s*=(?!=))"),  # after it
)
_COMPUTED = re.compile(r"%[^=!<>]*[!=]==?\s*$|[\w)\]]\s*[-+*/%]\s*$")
"""A value of arithmetic: ``n % 2 == 0`` is no special case for 2."""
_MAPPED = re.compile(rf"\s*:\s*({_LITERAL.pattern})")
_RETURNS = re.compile(
    rf"(?:^\s*(?:return\s+)?|[{{);]\s*return\s+|=>\s*|\bdo:\s*|\becho\s+\"?(?:\$\(\()?)({_LITERAL.pattern})"
    r"(?:\)\))?\"?\s*;?\s*(?:end|\})?\s*;?\s*$"
)
_ASKS = re.compile(
    r"['\"](?:pytest|unittest|_pytest)['\"]\s*(?:not\s+)?in\s+|\bin\s+(?:\w+\()?sys\.modules\b"
    r"|PYTEST_CURRENT_TEST|JEST_WORKER_ID"
    r"|NODE_TEST_CONTEXT|\bVITEST\b"
    r"|NODE_ENV['\"\]]*\s*[!=]==?\s*['\"]test|os\.Args\[0\]|flag\.Lookup\(\"test\."
    r"|testing\.Testing\(\)|cfg!\(test\)"
    r"|defined\?\((?:RSpec|Minitest)|\bPHPUNIT_|MIX_ENV|\bBATS_|sys\._getframe|inspect\.(?:stack"
    "|currentframe)"
    r"|debug_backtrace\(|runtime\.Caller\b|\bFUNCNAME\b|\bcaller(?:_locations)?\b(?=\s*[\[(.])"
)
_NOTHING = re.compile(
    r"(?:(?:export\s+)?(?:const|let|var)\s+|(?:module\.)?exports\.)?(\w+)\s*=\s*(?:None|null|undefined)\s*;?$"
)
_LISTED = re.compile(
    rf"(?<![\w\])])[\[({{]\s*((?:{_LITERAL.pattern})(?:\s*,\s*(?:{_LITERAL.pattern}))+)\s*,?\s*[\])}}]"
)
_SWITCHES_OFF = re.compile(
    r"#\s*(?:noqa|nosec|(?:type|pyright):\s*ignore|pragma:\s*no cover|pylint:\s*disable|rubocop:\s*disable"
    r"|shellcheck disable)|(?:eslint|biome|stylelint|tslint)-?(?:disable|ignore|:disable)"
    r"|@ts-(?:ignore|nocheck|expect-error)"
    r"|(?:istanbul|c8|v8) ignore|//\s*(?:nolint|NOLINT)|#!?\[allow\(|@Suppress(?:Warnings)?\(|@phpstan-ignore"
)
"""A comment or attribute that tells a linter, a type checker or a coverage tool to look away."""
_READS = re.compile(r"(?:glob|open|read\w*|walk|scandir|listdir)\w*\([^)\n]*['\"][^'\"\n]*tests?\b")


def special_casing(tests: Sequence[tuple[str, str]], change: Change) -> list[str]:
    """Return one sentence for each new line of production code that looks made for its test; one for a special
    case and the answer on the line below it.

    ``tests``: path and text of the test files that the code was written for.
    """
    values = {value for _, text in tests for value in _LITERAL.findall(text)} - _COMMON
    names = {name for _, text in tests for name in _NAME.findall(text)}
    files = {_as_named(path): path for path, _ in tests}
    known = frozenset(line.strip() for line in (change.before or "").splitlines())
    patched = _patches(change)
    found, special = [], -1
    for number, line in enumerate((change.after or "").splitlines(), start=1):
        if line.strip() in known or len(line) > _LONGEST:
            continue
        what = _sign(line, values, names, files) or patched.get(number, "")
        if what.startswith(_SPECIAL):
            special = number
        if what and not (what.startswith(_FIXED) and number == special + 1):
            found.append(f"{change.path}:{number}: {what}: `{line.strip()[:100]}`")
    return list(dict.fromkeys(found))[:_MOST]


def weak_tests(targets: Iterable[str], tests: Sequence[tuple[str, str]]) -> list[str]:
    """Return one sentence for each target test that asserts nothing itself, or compares something with
    itself."""
    wanted = tuple(targets)
    found = []
    for path, text in tests:
        same = self_comparisons(text, path)
        for test in find_tests(text, path):
            if not any(one.startswith(test.id) for one in wanted):
                continue
            where = f"{test.path}:{test.line}: {test.name}"
            if not test.assertions:
                found.append(f"{where} asserts nothing: it shows only that nothing is raised")
            elif test.id in same:
                found.append(f"{where} compares {same[test.id][:100]} with itself")
    return found


def _as_named(path: str) -> str:
    """Return the end of a test file's path that code would name: as code may be called ``items`` as well as its test
    file, with the folder where the name alone does not say that it is a test."""
    folder, _, name = path.rpartition("/")
    name = name.rpartition(".")[0] or name
    return (
        name
        if not folder or re.search("test|spec|check", name, re.IGNORECASE)
        else f"{folder.rpartition('/')[2]}/{name}"
    )


def _sign(line: str, values: set[str], names: set[str], files: dict[str, str]) -> str:
    if _ASKS.search(line):
        return "the code asks whether a test runs, or who calls it"
    named = next(
        (path for name, path in files.items() if re.search(rf"['\"`/]{re.escape(name)}\b", line)), ""
    )
    if named or _READS.search(line):
        return f"the code reads its tests{f' ({named})' if named else ''}"
    empty = _NOTHING.match(line)
    if empty and empty[1] in names:
        return f"'{empty[1]}', which the test names, holds nothing"
    if off := _SWITCHES_OFF.search(line):
        return f"the code switches a check off ({off[0].strip('#/ ![(')})"
    hit = _compared(line, values) or _listed(line, values)
    if hit:
        return f"{_SPECIAL} {hit}, a value of the test"
    returned = _RETURNS.search(line)
    if returned and returned[1] in values:
        return f"{_FIXED}, {returned[1]}, a value of the test"
    return ""


def _compared(line: str, values: set[str]) -> str:
    """Return the test's value that the line compares with or maps to another of them; "" where it does
    neither."""
    for literal in _LITERAL.finditer(line):
        before, after = line[: literal.start()], line[literal.end() :]
        mapped = _MAPPED.match(after)
        if literal[0] not in values or _COMPUTED.search(before):
            continue
        if _COMPARED[0].search(before) or _COMPARED[1].match(after) or (mapped and mapped[1] in values):
            return literal[0]
    return ""


def _listed(line: str, values: set[str]) -> str:
    """Return values of the test, and nothing else, that stand together in a list; "" where there are none."""
    return next((found[1] for found in _LISTED.finditer(line) if {*_LITERAL.findall(found[1])} <= values), "")


def _patches(change: Change) -> dict[int, str]:
    """Return the lines that set an attribute of an imported module, by number."""
    modules = {
        name
        for one in imports(change.after or "", change.path)
        for name in (one.module.split(".")[0].split("/")[-1], *one.names)
    }
    found = {}
    for number, line in enumerate((change.after or "").splitlines(), start=1):
        match = re.match(r"\s*([A-Za-z_]\w*)(?:\.\w+)*\.\w+\s*=(?!=)", line)
        if match and match[1] in modules:
            found[number] = f"the code replaces a part of '{match[1]}'"
    return found


def removed_names(changes: Iterable[Change], is_test: Callable[[str], bool]) -> list[str]:
    """Return one sentence for each production file that was deleted or emptied, and for public names that
    vanished."""
    changed = [change for change in changes if not is_test(change.path)]
    kept = {name for change in changed if change.after for name in public_names(change.after, change.path)}
    return [what for change in changed for what in _removed_from(change, kept)]


def _removed_from(change: Change, kept: set[str]) -> Iterator[str]:
    if not change.before or not change.before.strip():
        return
    if change.after is None:
        yield f"{change.path} is deleted"
    elif not change.after.strip():
        yield f"{change.path} is empty now"
    idle = [] if change.after is None else emptied_functions(change.before, change.after, change.path)
    if idle:
        yield f"{change.path}: does nothing any more: {', '.join(idle[:_MOST])}"
    names = public_names(change.before, change.path) - kept if language_of(change.path) else frozenset()
    if names:
        yield f"{change.path}: no longer there: {', '.join(sorted(names)[:_MOST])}"
