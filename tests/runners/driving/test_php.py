"""The arguments of PHP's runners: a report, and chosen tests whatever they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.runners.detect import detect
from tdd_orchestrator.runners.select import add_report_arguments, select_cases
from tdd_orchestrator.runners.table import by_name
from tdd_orchestrator.runners.wrappers import Reach


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("phpunit", "phpunit --do-not-cache-result --colors=never --log-junit /r.xml"),
        ("paratest", "paratest --log-junit /r.xml"),
        ("pest", "pest --log-junit /r.xml"),
    ],
)
def test_arguments_for_a_report(name: str, expected: str) -> None:
    assert (
        " ".join(add_report_arguments(by_name(name), [name], Reach.DIRECT, {"report": "/r.xml"})) == expected
    )


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("it adds", r"(it\ adds)i"),
        ("sum → of → it adds with (1, 2)", r"(it\ adds)i"),
        ('`sum` → it adds 1/2 @x #3 with data set "dataset "a > b → c""', r"(it\ adds\ 1/2\ @x\ \#3)i"),
        ('adds with dataset "one"', r"(adds)i"),
        ("it has a very long…", r"(it\ has\ a\ very\ long)i"),
        ("it (begins) odd", r"(it\ \(begins\)\ odd)i"),
    ],
)
def test_tests_of_pest_are_chosen_by_their_descriptions(name: str, pattern: str) -> None:
    found = select_cases(by_name("pest"), ["pest"], Reach.DIRECT, [Case(name, name, Outcome.FAILED)], Path())
    assert found == ["pest", "--filter", pattern]


def test_several_tests_of_pest_are_chosen_at_once() -> None:
    cases = [Case(name, name, Outcome.FAILED) for name in ("it adds", "sum → it halves with (2)", "it adds")]
    found = select_cases(by_name("pest"), ["pest"], Reach.DIRECT, cases, Path())
    assert found == ["pest", "--filter", r"(it\ adds|it\ halves)i"]


@pytest.mark.parametrize("name", ["phpunit", "paratest", "pest"])
def test_the_command_names_the_runner(tmp_path: Path, name: str) -> None:
    assert detect(tmp_path, f"vendor/bin/{name}").framework.name == name
