"""Examples in docstrings (doctests) that come with their code are tests of the change."""

from __future__ import annotations

import sys
from typing import Any

from change_repository import CODE, Repository

PYTEST = [sys.executable, "-m", "pytest", "-q", "--doctest-modules"]
DOCTEST = [sys.executable, "-m", "doctest", "calc.py"]
TRIPLE = (
    '\n\ndef triple(number):\n    """Triple it.\n\n    >>> triple(2)\n    6\n    """\n    return number * 3\n'
)
DOUBLE = 'def double(number):\n    """Double it.\n\n    >>> double(2)\n    {}\n    """\n    return {}\n'
HALVE = 'class Number:\n    def halve(self):\n        """Halve it.\n\n        >>> Number().halve()\n        1\n        """\n        return 1\n'


def with_command(repository: Repository, command: list[str], code: str = CODE) -> None:
    words = ", ".join(f'"{word}"' for word in command)
    settings = f'[test]\ncommand = [{words}]\n[workspace]\nsandbox = "none"\n'
    repository.commit(
        "chore: examples are tests", {"tdd.toml": settings, "calc.py": code, "tests/test_calc.py": None}
    )


def shown(change: Any) -> Any:
    rows = [(row["test"], row["how"], row["verdict"]) for row in change["tests"]]
    return change["verdict"], rows


def test_an_example_that_comes_with_its_function_is_a_test(repository: Repository) -> None:
    with_command(repository, PYTEST)
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE})
    change = repository.prove_one()
    assert shown(change) == ("proven", [("calc.py::calc.triple", "added", "proven")])
    assert "name 'triple' is not defined" in change["tests"][0]["on_base"]


def test_a_changed_example_fails_on_the_base_by_its_output(repository: Repository) -> None:
    with_command(repository, PYTEST, DOUBLE.format(5, "number + number + 1"))
    repository.commit("fix: double", {"calc.py": DOUBLE.format(4, "number + number")})
    change = repository.prove_one()
    assert change["verdict"] == "proven", change
    (row,) = change["tests"]
    assert (row["test"], row["verdict"]) == ("calc.py::calc.double", "proven")


def test_an_example_of_a_method_is_a_test(repository: Repository) -> None:
    with_command(repository, PYTEST)
    repository.commit("feat: halve", {"calc.py": f"{CODE}\n\n{HALVE}"})
    assert shown(repository.prove_one()) == (
        "proven", [("calc.py::calc.Number.halve", "added", "proven")])  # fmt: skip


def test_an_example_that_passes_on_the_base_proves_nothing(repository: Repository) -> None:
    with_command(repository, PYTEST)
    empty = TRIPLE.replace("triple(2)", "double(3)")
    repository.commit("feat: triple", {"calc.py": CODE + empty})
    assert repository.prove_one()["verdict"] == "passes_on_base"


def test_an_example_that_is_wrong_is_named(repository: Repository) -> None:
    with_command(repository, PYTEST)
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE.replace("6", "7")})
    change = repository.prove_one()
    assert change["verdict"] == "still_failing"


def test_an_example_that_is_gone_is_missed(repository: Repository) -> None:
    with_command(repository, PYTEST, DOUBLE.format(4, "number + number"))
    code = CODE.replace("number + number", "2 * number") + TRIPLE
    repository.commit("feat: triple, and double without an example", {"calc.py": code})
    assert repository.prove_one()["verdict"] == "test_vanished"


def test_where_the_command_does_not_run_examples_they_are_none(repository: Repository) -> None:
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE})
    assert repository.prove_one()["verdict"] == "no_test"


def test_an_example_that_python_s_own_doctest_runs_is_a_test(repository: Repository) -> None:
    with_command(repository, DOCTEST, DOUBLE.format(4, "number + number"))
    repository.commit("feat: triple", {"calc.py": DOUBLE.format(4, "number + number") + TRIPLE})
    change = repository.prove_one()
    assert shown(change) == ("proven", [("calc.triple", "added", "proven")])
    assert "name 'triple' is not defined" in change["tests"][0]["on_base"]


def test_python_s_own_doctest_names_a_changed_example(repository: Repository) -> None:
    with_command(repository, DOCTEST, DOUBLE.format(5, "number + number + 1") + TRIPLE)
    repository.commit("fix: double", {"calc.py": DOUBLE.format(4, "number + number") + TRIPLE})
    change = repository.prove_one()
    assert change["verdict"] == "proven", change
    (row,) = change["tests"]
    assert (row["test"], row["verdict"]) == ("calc.double", "proven")


def test_an_example_that_python_s_own_doctest_does_not_find_any_more_is_missed(
    repository: Repository,
) -> None:
    with_command(repository, DOCTEST, DOUBLE.format(4, "number + number"))
    repository.commit("feat: triple, and double without an example", {"calc.py": CODE + TRIPLE})
    assert repository.prove_one()["verdict"] == "test_vanished"


def test_an_example_that_goes_away_by_a_revert_goes_with_its_function(repository: Repository) -> None:
    with_command(repository, PYTEST, DOUBLE.format(4, "number + number"))
    repository.commit("feat: triple", {"calc.py": DOUBLE.format(4, "number + number") + TRIPLE})
    repository.git("revert", "--no-edit", "HEAD")
    change = repository.prove_one()
    assert (change["class"], change["verdict"]) == ("dead_code", "proven"), change
    assert "calc.py::calc.triple goes with its code" in change["warnings"]


def test_an_example_of_a_function_that_stays_is_missed_in_a_revert(repository: Repository) -> None:
    with_command(repository, PYTEST, "def double(number):\n    return 2 * number\n" + TRIPLE)
    repository.commit("fix: double", {"calc.py": DOUBLE.format(4, "number + number") + TRIPLE})
    repository.git("revert", "--no-edit", "HEAD")
    change = repository.prove_one()
    assert (change["class"], change["verdict"]) == ("revert", "test_vanished"), change
