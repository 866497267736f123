"""New public functions that nothing calls, in a change that claims to be a refactoring."""

from __future__ import annotations

import pytest
from change_repository import CODE, Repository
from test_change_classes import change

from tdd_orchestrator.prove.unused import uncalled_functions
from tdd_orchestrator.workspace.guard import Change

TRIPLE = "\n\ndef triple(number):\n    return number * 3\n"
USES = "from calc import double\n\n\ndef use(n):\n    return double(n)\n"
JS = "function double(n) {\n  return n + n;\n}\nmodule.exports = { double };\n"
JS_TRIPLE = "function triple(n) {\n  return n * 3;\n}\n"
GO = "package calc\n\nfunc Double(n int) int {\n\treturn n + n\n}\n"
GO_TRIPLE = "\nfunc Triple(n int) int {\n\treturn n * 3\n}\n"
CLASS = "\n\nclass Number:\n    def triple(self):\n        return Number.triple\n"


@pytest.mark.parametrize(
    ("expected", "changes"),
    [
        ("triple", [change("calc.py", CODE, CODE + TRIPLE)]),
        ("triple", [change("calc.py", CODE, CODE + TRIPLE), change("use.py", USES, USES.replace("double", "double, triple", 1))]),
        ("triple", [change("calc.py", f'__all__ = ["double"]\n{CODE}', f'__all__ = ["double", "triple"]\n{CODE}{TRIPLE}')]),
        ("triple six", [change("calc.py", CODE, f"{CODE}{TRIPLE}\n\ndef six(n):\n    return triple(n) * 2  # six\n")]),
        ("triple", [change("calc.py", CODE, CODE + TRIPLE.replace("number * 3", "triple(number)"))]),
        ("Number", [change("calc.py", CODE, CODE + CLASS)]),
        ("triple", [change("calc.js", JS, JS_TRIPLE + JS.replace("{ double }", "{ double, triple }"))]),
        ("triple", [change("calc.mjs", f"export {JS}", f"export {JS}export {JS_TRIPLE}")]),
        ("Triple", [change("calc.go", GO, GO + GO_TRIPLE)]),
        ("", [change("calc.go", GO, GO.replace("n + n", "Triple(n) - n") + GO_TRIPLE)]),
        ("", [change("calc.py", CODE, CODE.replace("number + number", "triple(number) - number") + TRIPLE)]),
        ("", [change("calc.py", CODE, CODE + TRIPLE), change("use.py", USES, USES.replace("return double", "return triple"))]),
        ("", [change("calc.py", CODE, CODE + TRIPLE.replace("def triple", "@route\ndef triple"))]),
        ("", [change("calc.py", CODE, CODE + TRIPLE.replace("triple", "_triple"))]),
        ("", [change("calc.py", CODE + TRIPLE, CODE), change("more.py", None, TRIPLE)]),
        ("", [change("calc.py", CODE, CODE + "\nTRIPLE = 3\n")]),
        ("", [change("calc.py", CODE, f"{CODE}{TRIPLE}\nTABLE = [triple]\n")]),
        ("", [change("calc.js", JS, JS.replace("return n + n", "return triple(n) - n") + JS_TRIPLE)]),
    ],
)  # fmt: skip
def test_new_functions_that_no_old_code_calls(expected: str, changes: list[Change]) -> None:
    assert [name for name, _ in uncalled_functions(changes)] == expected.split()


@pytest.mark.journey
def test_a_false_refactoring_is_named(repository: Repository) -> None:
    """The claim is accepted, for the tests say nothing against it, and what it brings beside is named."""
    repository.commit("more\n\nTdd-Class: refactor", {"calc.py": CODE + TRIPLE})
    change = repository.prove_one("HEAD")
    assert (change["verdict"], change["class"]) == ("proven", "refactoring")
    assert change["warnings"] == [
        "calc.py adds triple, which no code here calls: test it, or leave it out of a refactoring"
    ]
    repository.commit("refactor: less", {"calc.py": CODE.replace("number + number", "twice(number)") + TRIPLE + TRIPLE.replace("triple", "twice").replace("3", "2")})  # fmt: skip
    assert repository.prove_one("HEAD")["warnings"] == []
    repository.commit("chore: entry", {"pyproject.toml": '[project.scripts]\nsix = "six:run_six"\n'})
    repository.commit("refactor: six", {"six.py": TRIPLE.replace("triple", "run_six")})
    assert repository.prove_one("HEAD")["warnings"] == [], "a file that the change leaves alone names it"
