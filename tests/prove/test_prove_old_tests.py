"""Old tests beside new ones: asked whether they can still fail, in as few runs as that takes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from change_repository import CODE, TEST, Repository
from test_prove_verdicts import TEST_TRIPLE, TRIPLE

pytestmark = pytest.mark.journey

CONSTANT = "\n\ndef test_constant():\n    assert sorted([2, 1]) == [1, 2]\n"
NEW = TEST.replace("import double", "import double, triple") + CONSTANT + TEST_TRIPLE.split("triple\n", 1)[1]
DISARMS = (
    "\n\nimport pytest\n\n\n@pytest.fixture(autouse=True)\ndef quiet(request):\n"
    "    if 'constant' in request.node.name:\n        request.node.obj = lambda: None\n    yield\n"
)


@pytest.fixture
def with_constant(repository: Repository, tmp_path: Path) -> Path:
    """A test that uses no code of the project; the file that gets a line for each run."""
    runs = tmp_path / "runs"
    conftest = f"open({str(runs)!r}, 'a').write('run\\n')\n"
    repository.commit("test: constant", {"conftest.py": conftest, "tests/test_calc.py": TEST + CONSTANT})
    return runs


def test_an_old_test_that_the_new_ones_disarm_is_named(repository: Repository, with_constant: Path) -> None:
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_calc.py": NEW + DISARMS})
    change = repository.prove_one()
    assert change["verdict"] == "vacuous_test"
    assert "test_constant was there before and can no longer fail" in change["reasons"][0]


def test_an_old_test_that_needs_no_code_costs_four_runs(repository: Repository, with_constant: Path) -> None:
    """BASE, HEAD, the new test on BASE, three questions, the lines; then poison and stub of the old tests at
    HEAD, and, for the one that passes with stubs, the other stub there, and the same on BASE."""
    repository.commit("feat: triple", {"calc.py": CODE + TRIPLE, "tests/test_calc.py": NEW})
    assert repository.prove_one()["verdict"] == "proven"
    assert len(with_constant.read_text().splitlines()) == 7 + 3 + 3


LATER = "\nSIX = double(2, times=3)\n\n\ndef test_times():\n    assert SIX == 6\n"
TIMES = "def double(number, times=2):\n    return number * times\n"
TWO = TEST + "    assert double(3) == 6\n"


@pytest.mark.parametrize(("old_test", "verdict"), [(TWO, "proven"), (TEST, "weakened_test")])
def test_an_old_test_in_a_file_that_does_not_load_on_the_base(
    repository: Repository, old_test: str, verdict: str
) -> None:
    """Nothing of it ran there: where its old version still passes at HEAD, it had no need to ask for less."""
    repository.commit("test: more", {"tests/test_calc.py": TWO})
    repository.commit("feat: times", {"calc.py": TIMES, "tests/test_calc.py": old_test + LATER})
    change = repository.prove_one()
    assert change["verdict"] == verdict


@pytest.mark.skipif(not shutil.which("go"), reason="go is not installed")
def test_an_old_test_of_a_method_that_has_another_name_now_is_no_lost_test(repository: Repository) -> None:
    """Go names what is missing without quotes, and the whole package does not build."""
    code = "package nest\n\ntype Nest struct{}\n\nfunc (n Nest) Most() int { return 3 }\n"
    test = (
        'package nest\n\nimport "testing"\n\nfunc TestMost(t *testing.T) {\n'
        "\tif (Nest{}).Most() != 3 {\n\t\tt.Fatal()\n\t}\n}\n"
    )
    settings = '[test]\ncommand = ["go", "test", "./..."]\n[workspace]\nsandbox = "none"\n'
    start = {
        "go.mod": "module nest\n\ngo 1.21\n",
        "nest.go": code,
        "nest_test.go": test,
        "tdd.toml": settings,
    }
    repository.commit("start", {**start, "calc.py": None, "tests/test_calc.py": None})
    repository.commit("feat: depth", {
        "nest.go": code.replace("Most() int { return 3 }", "Depth() int { return 4 }"),
        "nest_test.go": test.replace("TestMost", "TestDepth").replace("Most() != 3", "Depth() != 4"),
    })  # fmt: skip
    change = repository.prove_one()
    assert change["verdict"] == "proven", change
