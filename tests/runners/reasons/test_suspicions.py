"""Python comparisons that do not look at what they compare with, and those that do."""

from __future__ import annotations

import pytest

from tdd_orchestrator.runners.suspicions import suspicions

ALWAYS = {
    "a constant": ("def __eq__(self, other):\n        return True", "equal to everything"),
    "a constant, the other looked at": ("def __eq__(self, other):\n        print(other)\n        return True", "equal to everything"),
    "never unlike": ("def __ne__(self, other):\n        return False", "equal to everything"),
    "a lambda": ("__eq__ = lambda self, other: True", "equal to everything"),
    "another comparison of numbers": ("__eq__ = int.__ge__", "no function of its own"),
    "made by a call": ("__eq__ = made(True)", "no function of its own"),
    "itself only": ("def __eq__(self, o):\n        return self >= 0", "does not look"),
    "itself only, by a lambda": ("__eq__ = lambda self, o: self >= 0", "does not look"),
    "in a class made by hand": ("made = type('A', (), {'__eq__': lambda self, o: self.x})", "does not look"),
    "set from outside": ("Kata.__eq__ = int.__ge__", "no function of its own"),
}  # fmt: skip
HONEST = {
    "by its parts": "def __eq__(self, other):\n        return self.x == other.x",
    "in doubt": "def __eq__(self, other):\n        if not isinstance(other, A):\n            return NotImplemented\n        return self.x == other.x",
    "left to the other": "def __eq__(self, other):\n        return NotImplemented",
    "refused": "def __eq__(self, other):\n        raise TypeError('not to be compared')",
    "a base's": "__eq__ = object.__eq__",
    "another name of its own": "__eq__ = same",
    "by a lambda": "__eq__ = lambda self, other: self.x == other.x",
    "unlike": "def __ne__(self, other):\n        return not self == other",
    "a mapping of names": "words = {'__eq__': 'equal'}",
    "all that is given": "def __eq__(self, *others):\n        return self.x in others",
}


def told(body: str) -> list[str]:
    return suspicions([], "a.py", "", f"class A(int):\n    {body}\n")


@pytest.mark.parametrize("name", ALWAYS)
def test_a_comparison_that_does_not_compare(name: str) -> None:
    body, said = ALWAYS[name]
    (found,) = told(body)
    assert said in found


@pytest.mark.parametrize("name", HONEST)
def test_a_comparison_that_does(name: str) -> None:
    assert told(HONEST[name]) == []
