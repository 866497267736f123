"""RED edits existing tests, helpers and data: changed behaviour is ordinary work (S3)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from kit import Kata

GREET = """
from greet import greet


def test_greets():
    assert greet("ada") == "hello, ada"
"""
NEW = """

def test_greets_nobody():
    assert greet("") == "hello?"
"""
OLD = "from greet import greet\n\n\ndef test_greets():\n    assert greet('ada') == 'hello ada'\n"


def scene(**files: str) -> str:
    return "".join(f"write({path!r}, {text!r})\n" for path, text in files.items())


def red(kata: Kata, text: str) -> dict:
    """Play one RED; what the record says of it."""
    kata.script(red=[text])
    kata.plan()
    kata.next("--phase")
    return next(one for one in kata.records() if one["kind"] in ("handoff", "error"))


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path, config="[retry]\nmax_retries = 0\ndelays = [0]\n")


def test_a_changed_expectation_is_red_and_green_makes_it_pass(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.script(red=[scene(**{"tests/test_greet.py": GREET})],
                green=[scene(**{"greet.py": "def greet(name):\n    return f'hello, {name}'\n"})])  # fmt: skip
    kata.plan("greets with a comma")
    done = kata.next()
    assert done.code == 0, done.err
    assert "unexpectedly" not in done.err, "a test that RED changed is meant to fail: one run shows it"
    handoff = next(one for one in kata.records("handoff") if one["phase"] == "RED")
    assert (
        handoff["changed_tests"] == handoff["tests"]["target_tests"] == ["tests/test_greet.py::test_greets"]
    )


@pytest.mark.parametrize(
    ("name", "text", "verdict", "said"),
    [
        ("weaker", scene(**{"tests/test_greet.py": OLD.replace("== 'hello ada'", "!= ''")}), "weakened_test", "asks for something else"),
        ("renamed only", scene(**{"tests/test_greet.py": OLD.replace("test_greets", "test_says_hello")}), "no_new_test", ""),
        ("renamed beside", scene(**{"tests/test_greet.py": OLD.replace("test_greets", "test_hello") + NEW}), "proven", ""),
        ("appended", scene(**{"tests/test_greet.py": OLD + "    assert greet('') == 'hello?'\n"}), "proven", ""),
        ("one of two passes", scene(**{"tests/test_greet.py": OLD + NEW + NEW.replace("nobody", "bob").replace('""', '"bob"')
                                       .replace("hello?", "hello bob")}), "unexpected_pass", "drop it, and keep"),
        ("a helper breaks another", scene(**{"tests/conftest.py": "import greet\ngreet.greet = lambda name: 1\n",
                                            "tests/test_new.py": "def test_new():\n    assert 1 == 2\n"}), "breaks_existing", ""),
        ("a fixture and a helper", scene(**{"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef name():\n    return 'bob'\n",
                                           "tests/helpers.py": "def made(name):\n    return name\n",
                                           "tests/test_new.py": "from greet import greet\n\n\ndef test_new(name):\n    assert greet(name) == 1\n"}),
         "proven", ""),
        ("rows", scene(**{"tests/test_new.py": "import pytest\nfrom greet import greet\n\n\n@pytest.mark.parametrize('name, said', "
                          "[('a', 'hello a'), ('', 'hello?')])\ndef test_rows(name, said):\n    assert greet(name) == said\n"}),
         "proven", "1 of 2 rows pass already"),
        ("no production code", scene(**{"greet.py": "def greet(name):\n    return 1\n"}), "forbidden_change", "RED may only change tests"),
        ("repeats", scene(**{"tests/test_again.py": OLD.replace("test_greets", "test_again")}), "duplicate_test", ""),
        ("a missing package", scene(**{"tests/test_new.py": "import moto_of_nobody.core\nfrom greet import greet\n\n\ndef test_new():\n"
                                       "    assert greet('') == moto_of_nobody.core.x()\n"}), "proven", ""),
        ("its own crash", scene(**{"tests/test_new.py": "from greet import greet\n\n\ndef test_new():\n    said = [][0]\n"
                                       "    assert greet('') == said\n"}), "invalid_test", ""),
        ("a key that is not there yet", scene(**{"tests/test_new.py": "from greet import greet\n\n\ndef test_new():\n"
                                                 "    assert greet('').split()[1] == 'you'\n"}), "proven", ""),
        ("a crash in what the project calls", scene(**{"tests/test_new.py": "from greet import greet\n\n\ndef test_new():\n    assert greet(Nobody()) == 2\n"
                                         "\n\nclass Nobody:\n    def __format__(self, how):\n        return [][0]\n"}), "proven", ""),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 30 else "",
)  # fmt: skip
def test_what_red_may_do_to_tests(kata: Kata, name: str, text: str, verdict: str, said: str) -> None:
    record = red(kata, text)
    assert record["verdict"] == verdict, record["reasons"]
    assert said in "; ".join(record["reasons"])


UNITTEST = """import json
import pathlib
import unittest

from greet import greet


class GreetTest(unittest.TestCase):
    def test_table(self):
        table = json.loads((pathlib.Path(__file__).parent / "table.json").read_text())
        for name, said in table.items():
            with self.subTest(name=name):
                self.assertEqual(greet(name), said)

    def test_one(self):
        self.assertEqual(greet("ada"), "hello ada")
"""


def test_many_failing_subtests_are_one_test_where_the_runner_only_counts(tmp_path: Path) -> None:
    rows = {name: f"hello {name}" for name in "abc"}
    kata = Kata(tmp_path)
    config = (kata.root / "tdd.toml").read_text()
    command = 'command = ["python", "-m", "unittest", "discover", "-s", "tests", "-t", "."]'
    kata.write("tdd.toml", re.sub(r"^command = .*$", command, config, count=1, flags=re.MULTILINE))
    kata.write("tests/__init__.py", "")
    kata.write("tests/test_greet.py", UNITTEST)
    kata.write("tests/table.json", json.dumps(rows))
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "test: a table")
    more = rows | {name.upper(): f"HELLO {name.upper()}" for name in "abcdef"}
    loud = "def greet(name):\n    return f'HELLO {name}' if name.isupper() else f'hello {name}'\n"
    kata.script(red=[scene(**{"tests/table.json": json.dumps(more)})], green=[scene(**{"greet.py": loud})])
    kata.plan("greets loudly")
    done = kata.next()
    assert done.code == 0, done.err
    assert "unexpectedly" not in done.err
