"""Tests that a Python file has without writing them as functions of its own."""

from __future__ import annotations

import pytest

from tdd_orchestrator.runners.duplicates import duplicates
from tdd_orchestrator.runners.sources import defined_tests, idle

MIXIN = '''\
import unittest

from double import double


class Base:
    def test_zero(self):
        """Nothing twice."""
        self.assertEqual(double(0), 0)


class Mixin(Base):
    given = 2

    def test_sum(self):
        self.assertEqual(double(self.given), self.given + self.given)


class TwoTest(Mixin, unittest.TestCase):
    pass


class ThreeTest(Mixin, unittest.TestCase):
    given = 3

    def test_zero(self):
        assert double(0) == double(1)
'''
MADE = """\
import functools

from double import double


def check(n):
    assert double(n) == n + n


def _make(given, wanted):
    def test():
        assert double(given) == wanted

    return test


def quiet():
    def test():
        pass

    return test


def load():
    return 3


test_two = _make(2, 4)
test_three = _make(3, 6)
test_four = lambda: check(4)
test_five = functools.partial(check, n=5)
test_none = quiet()
test_data = load()
test_client = Client()


class TestNone:
    test_six = functools.partialmethod(lambda self, n: check(n), 6)


class TestAll(unittest.TestCase):
    test_six = functools.partialmethod(lambda self, n: check(n), 6)
"""


def found(source: str) -> dict[str, str]:
    return {test.id.removeprefix("a.py::"): test.hollow for test in defined_tests(source, "a.py")}


def test_a_class_has_the_tests_of_its_bases():
    assert found(MIXIN) == dict.fromkeys(
        ["TwoTest::test_sum", "TwoTest::test_zero", "ThreeTest::test_zero", "ThreeTest::test_sum"], ""
    )
    assert not idle(MIXIN, "a.py")


def test_an_inherited_test_is_another_in_each_class():
    tests = defined_tests(MIXIN, "a.py")
    sums = [test for test in tests if test.name == "test_sum"]
    assert duplicates(sums[1:], sums[:1]) == []


def test_tests_that_are_made():
    assert found(MADE) == {"test_two": "", "test_three": "", "test_four": "", "test_five": "", "test_none": "It asserts nothing.",
                           "TestAll::test_six": ""}  # fmt: skip
    assert not idle(MADE, "a.py") - {"a.py::test_none"}
    tests = defined_tests(MADE, "a.py")
    assert duplicates(tests[1:2], tests[:1]) == []


@pytest.mark.parametrize(
    ("source", "ids"),
    [
        ("from contracts import Contract\n\n\nclass TestTwo(Contract):\n    given = 2\n", ["TestTwo"]),
        ("from .base import Contract\n\n\nclass TestTwo(Contract):\n    given = 2\n", ["TestTwo"]),
        ("from django.test import TestCase\n\n\nclass ShopTest(TestCase):\n    given = 2\n", []),
        ("from shop import Cart\n\n\nclass TestCart(Cart):\n    given = 2\n", []),
        ("from .base import Contract\n\n\nclass Helper(Contract):\n    given = 2\n", []),
        ("from .base import Base\n\n\nclass TestA(Base):\n    def test_a(self):\n        assert f()\n\n\nclass TestB(Base):\n    pass\n", ["TestA::test_a"]),
    ],
)  # fmt: skip
def test_a_class_stands_for_tests_of_another_file(source, ids):
    assert list(found(source)) == ids
