"""Edits of old tests that are honest work: what is shown decides, not how little of the old text is left."""

from __future__ import annotations

import pytest
from change_repository import CODE, TEST, Repository
from test_prove_verdicts import verdicts

pytestmark = pytest.mark.journey

TWICE = TEST + "    assert double(3) == 6\n    assert double(4) == 8\n"
NOTHING = TEST.replace("double(2) == 4", "double")
ROWS = TEST.replace("    assert double(2) == 4\n", "    assert list(map(double, (2, 3, 4))) == [4, 6, 8]\n")


@pytest.mark.parametrize(
    ("written", "verdict"), [(ROWS, "proven"), (TEST, "weakened_test"), (NOTHING, "weakened_test")]
)
def test_assertions_that_are_written_anew_are_not_taken_out(
    repository: Repository, written: str, verdict: str
) -> None:
    """One assertion may ask for as much as three; what only went is less, and so is one that asks nothing of the
    project."""
    repository.commit("test: more", {"tests/test_calc.py": TWICE})
    repository.commit("test: shorter", {"tests/test_calc.py": written})
    change = repository.prove_one()
    assert (change["class"], change["verdict"]) == ("tests", verdict)
    if verdict == "proven":
        assert "test_doubles asserts 1 thing where it asserted 3" in change["warnings"][0]


def test_a_changed_test_that_was_skipped_before_as_well(repository: Repository) -> None:
    """It needs what this machine does not have: the change has not kept it from running."""
    skipped = "import pytest\n\npytest.importorskip('not_on_this_machine')\n"
    repository.commit("test: other", {"tests/test_other.py": skipped + TEST.replace("doubles", "other")})
    more = TEST.replace("doubles", "other") + "    assert double(3) == 6\n"
    repository.commit("test: more of it", {"tests/test_other.py": skipped + more})
    change = repository.prove_one()
    assert (change["class"], change["verdict"]) == ("tests", "proven")
    assert any("test_other was" in one for one in change["warnings"])


def test_an_example_in_a_comment_that_is_run_from_now_on(repository: Repository) -> None:
    """Documentation, although it brings a test."""
    command = repository.root / "tdd.toml"
    with_examples = command.read_text().replace('"-q"', '"-q", "--doctest-modules"')
    repository.commit("test: examples", {"tdd.toml": with_examples})
    example = CODE.replace(":\n", ':\n    """Twice the number.\n\n    >>> double(2)\n    4\n    """\n')
    repository.commit("docs: an example", {"calc.py": example})
    change = repository.prove_one()
    assert change["verdict"] == "proven", change["reasons"]


def test_a_test_that_moves_with_its_file_and_changes_is_the_same_test(repository: Repository) -> None:
    text = (
        "from calc import double\n\n\ndef test_names():\n    assert double.__module__ == 'calc'\n"
        "    assert double(1) == 2\n"
    )
    repository.commit("test: names", {"tests/test_names.py": text})
    repository.commit("chore: a folder of its own", {
        "tests/test_names.py": None,
        "tests/unit/test_names.py": text.replace("double(1) == 2", "double(1) + double(0) == 2"),
    })  # fmt: skip
    change = repository.prove_one()
    assert (change["class"], change["verdict"]) == ("tests", "proven")


STRICT = (
    "def double(number):\n    if isinstance(number, str):\n        raise TypeError('not a number')\n"
    "    return number + number\n"
)
LENIENT = (
    "from calc import double\n\n\ndef test_sizes():\n    value = {}\n    assert len(str(double(value))) > 1\n"
)
REFUSES = (
    "import pytest\nfrom calc import double\n\n\ndef test_refuses():\n"
    "    with pytest.raises({}):\n        double('2')\n"
)


@pytest.mark.parametrize(("named", "verdict"), [("TypeError", "proven"), ("Exception", "weakened_test")])
def test_an_old_test_gives_what_is_refused_now(repository: Repository, named: str, verdict: str) -> None:
    """The old version dies of the very exception that a proven test of the change asks for."""
    repository.commit("test: sizes", {"tests/test_sizes.py": LENIENT.format("'22'")})
    repository.commit("feat: refuse text", {
        "calc.py": STRICT,
        "tests/test_sizes.py": LENIENT.format("22"),
        "tests/test_refuses.py": REFUSES.format(named),
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == verdict
    assert verdicts(change)["test_refuses"] == "proven"
    if verdict == "proven":
        assert any("its old version fails now by TypeError" in one for one in change["warnings"])


@pytest.mark.parametrize(
    ("asked", "verdict"), [("double(2) == 5", "proven"), ("double(2) == triple(1)", "weakened_test")]
)
def test_an_old_test_that_failed_on_the_base_is_put_right(
    repository: Repository, asked: str, verdict: str
) -> None:
    """Its old version fails at HEAD as it did on BASE, so it hides nothing that the change does; where it fails
    otherwise, it may."""
    red = TEST.replace("test_doubles", "test_old").replace("double(2) == 4", asked)
    if "triple" in asked:
        red = red.replace("    assert", "    from calc import triple\n    assert")
    repository.commit("chore: a red test", {"tests/test_old.py": red})
    right = TEST.replace("test_doubles", "test_old")
    more = "\n\ndef triple(number):\n    return 3 * number\n"
    repository.commit("feat: triple", {
        "calc.py": CODE + more,
        "tests/test_old.py": right,
        "tests/test_triple.py": "from calc import triple\n\n\ndef test_triples():\n    assert triple(2) == 6\n",
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == verdict, change
