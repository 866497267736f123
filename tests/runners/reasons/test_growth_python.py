"""What RED may add to a Python test file that is there, and what acts on the tests that were."""

from __future__ import annotations

import pytest

from tdd_orchestrator.runners.sources import added_only

OLD = """\
import unittest
from unittest import mock

import pytest
from greet import greet

CASES = [("ada", "hello ada"), ("bob", "hello bob")]
NAMED = {"short": "a", "long": "adalbert"}
ALLOWED = ["hello ada", "hello  ada"]


@pytest.mark.parametrize(("name", "wanted"), CASES, ids=["a", "b"])
def test_greets(name, wanted):
    assert greet(name) == wanted


@pytest.mark.parametrize("name", NAMED.values(), ids=NAMED.keys())
def test_named(name, client):
    assert name in greet(name)


@pytest.mark.parametrize("name", ["ada", "bob"])
def test_names(name):
    assert name in greet(name)


def test_allowed():
    assert greet("ada") in ALLOWED


def helper(name):
    return sorted(name)


@pytest.fixture
def cart():
    return {}


class Contract:
    def test_twice(self):
        assert greet(self.name)


class GreetTest(Contract, unittest.TestCase):
    name = "ada"

    def test_greets(self):
        self.assertEqual(greet("ada"), self.wanted())
"""
NEW = "\n\ndef test_doubles(cart):\n    from double import double\n\n    cart.two = 2\n    assert double(2) == 4\n"
IN_CLASS = "\n    def test_more(self):\n        self.assertEqual(greet(''), 'hello you')\n"


def altered(new: str) -> str:
    return " ".join(added_only(OLD, new, "tests/test_greet.py"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hello bob\")]", "hello bob\"), (\"\", \"hello you\")]"),
        ("CASES = [(", "CASES = [(\"\", \"hello you\"), ("),
        ('"adalbert"}', '"adalbert", "none": ""}'),
        ('["ada", "bob"])', '["ada", "bob", pytest.param("eve", id="e")])'),
        ('ids=["a", "b"]', 'ids=["a", "b", "c"]'),
        ('ids=["a", "b"]', "ids=['a', 'b']"),
    ],
)  # fmt: skip
def test_a_case_more_is_growth(old, new):
    assert altered(OLD.replace(old, new)) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('("bob", "hello bob")]', '("bob", "hello")]'),
        ('[("ada", "hello ada"), ', "["),
        ('[("ada", "hello ada"), ("bob", "hello bob")]', '[("bob", "hello bob"), ("ada", "hello ada")]'),
        ('"hello  ada"]', '"hello  ada", "hello"]'),
        ('"adalbert"}', '"adalbert", "short": "b"}'),
        ('"adalbert"}', '"adalbert", **MORE}'),
        ('["ada", "bob"])', '["ada", "bob", (greet := str)])'),
        ('["ada", "bob"])', '["ada", "bob", exec("greet = str")])'),
        ('("name", ["ada"', '("n", ["ada"'),
        ('("name", "wanted"), CASES', '("name", "wanted", "more"), CASES'),
    ],
)
def test_a_case_that_was_there_is_not_to_change(old, new):
    assert old in OLD
    assert altered(OLD.replace(old, new))


@pytest.mark.parametrize(
    "tail",
    [
        NEW,
        IN_CLASS,
        "\n    def helper(self):\n        return 1\n",
        "\n    LIMIT = 3\n",
        "\n\n@pytest.fixture\ndef three():\n    return 3\n",
        "\n\n@pytest.fixture\ndef setup():\n    return 3\n",
        "\n\nclass TestDouble(unittest.TestCase):\n    def setUp(self):\n        self.two = 2\n\n    def test_two(self):\n        assert self.two\n",
        "\n\nclass TestDouble:\n    @pytest.fixture(autouse=True)\n    def ready(self):\n        self.two = 2\n",
        "\n\ndef make(n):\n    def test():\n        assert greet(n)\n\n    test.__name__ = f'test_{n}'\n    return test\n\n\ntest_one = make(1)\n",
        "\n\ndef add(*numbers):\n    def to(cls):\n        for n in numbers:\n            setattr(cls, f'test_{n}', lambda self: greet(n))\n        return cls\n\n    return to\n\n\n@add(1, 2)\nclass TestMore:\n    pass\n",
        "\n\nclass Fake:\n    def __init__(self):\n        self.calls = 0\n\n\nFAKE = Fake()\nFAKE.calls = 1\n",
        "\n\nMORE = {}\nMORE['a'] = 1\nMORE.update(b=2)\n",
        "\n\nimport sys\n\nsys.path.insert(0, 'more')\n",
        "\n\nif __name__ == '__main__':\n    unittest.main()\n",
        "\n\nfrom greet import greet\nfrom greet import shout\n",
        "\n\ndef test_mocked(monkeypatch):\n    import greet as module\n\n    monkeypatch.setattr(module, 'greet', str)\n    module.LIMIT = 4\n    assert module.greet(1) == '1'\n",
        "\n\ndef test_local():\n    greet = str\n    helper = mock.Mock()\n    helper.name = 3\n    assert greet(helper.name) == '3'\n",
    ],
)  # fmt: skip
def test_honest_additions(tail):
    assert altered(OLD + tail) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from greet import greet", "from greet import greet, shout"),
        (
            "from greet import greet",
            "from double import double\nfrom greet import (\n    greet,\n    shout,\n)",
        ),
        ("import unittest\n", "import unittest\nimport unittest.mock\n"),
    ],
)
def test_honest_imports(old, new):
    assert altered(OLD.replace(old, new, 1)) == ""


@pytest.mark.parametrize(
    "tail",
    [
        "\n\ngreet = lambda name: 'hello ada'\n",
        "\n\ndef greet(name):\n    return 'hello ada'\n",
        "\n\nclass greet(str):\n    pass\n",
        "\n\nfrom fake import greet\n",
        "\n\nimport fake as greet\n",
        "\n\ntry:\n    from fake import greet\nexcept ImportError:\n    from greet import greet\n",
        "\n\nif True:\n    from greet import greet\n    greet = str\n",
        "\n\nfor greet in [str]:\n    pass\n",
        "\n\nwith mock.MagicMock() as greet:\n    pass\n",
        "\n\n(greet := str)\n",
        "\n\ndef sorted(name):\n    return name\n",
        "\n\nfor n in ['test_names']:\n    globals()[n] = print\n",
        "\n\nimport sys\n\nsetattr(sys.modules[__name__], 'greet', str)\n",
        "\n\nimport sys\n\nsys.modules['greet'] = mock\n",
        "\n\nvars()['greet'] = str\n",
        "\n\nexec('greet = str')\n",
        "\n\nimport greet as module\n\nif True:\n    module.greet = str\n",
        "\n\nimport greet as module\n\n\ndef quiet():\n    module.greet = str\n\n\nquiet()\n",
        "\n\nimport greet as module\n\n\nclass Quiet:\n    def __init__(self):\n        module.greet = str\n\n\nQuiet()\n",
        "\n\ndef quiet(one):\n    one.greet = str\n\n\nimport greet as module\n\nquiet(module)\n",
        "\n\nmock.patch('test_greet.greet', str).start()\n",
        "\n\npytest.MonkeyPatch().setattr('test_greet.greet', str)\n",
        "\n\nALLOWED.append(None)\n",
        "\n\ndef test_first():\n    global greet\n    greet = str\n",
        "\n\ndef test_first():\n    globals()['greet'] = str\n",
        "\n\ndef test_first():\n    globals().update(greet=str)\n",
        "\n\ndef test_first():\n    GreetTest.assertEqual = print\n",
        "\n\ndef test_first():\n    setattr(unittest.TestCase, 'assertEqual', print)\n",
        "\n\ndef setup_function():\n    pass\n",
        "\n\ndef load_tests(*given):\n    return unittest.TestSuite()\n",
        "\n\nfrom fake import setup_module\n",
        "\n\n@pytest.fixture\ndef client():\n    return mock.Mock()\n",
        "\n\n@pytest.fixture(name='client')\ndef other():\n    return mock.Mock()\n",
        "\n\nclient = pytest.fixture(lambda: 1)\n",
        "\n\nif True:\n\n    @pytest.fixture(autouse=True)\n    def ready():\n        yield\n",
    ],
)
def test_hands_in_what_was_there(tail):
    assert altered(OLD + NEW + tail)


@pytest.mark.parametrize(
    "member",
    [
        "def setUp(self):\n        self.assertEqual = print",
        "def assertEqual(self, a, b):\n        pass",
        "def run(self, result=None):\n        pass",
        "def wanted(self):\n        return greet('ada')",
        "def test_twice(self):\n        assert True",
        "def __getattribute__(self, name):\n        return print",
        "def setup_method(self):\n        pass",
        "assertEqual = print",
        "from fake import assertEqual",
        "pytestmark = pytest.mark.skip",
        "__test__ = False",
        "name = 'bob'",
        "locals()['test_greets'] = print",
        "@pytest.fixture(autouse=True)\n    def ready(self):\n        yield",
    ],
)
def test_members_that_act_on_the_tests_of_their_class(member):
    assert altered(f"{OLD}{IN_CLASS}\n    {member}\n")


def test_a_class_that_was_there_keeps_its_keywords():
    assert "other bases" in altered(OLD.replace("unittest.TestCase)", "unittest.TestCase, metaclass=Quiet)"))
