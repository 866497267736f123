"""What a person is shown of a failure: their own lines, and the error."""

from __future__ import annotations

from tdd_orchestrator.cycle.attempt.outcome import own_lines

COLLECTED = """\
tests/test_two.py:1: in <module>
    from two import two
/usr/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
<frozen importlib._bootstrap>:1204: in _gcd_import
    ???
two.py:3: in <module>
    x = (
E   SyntaxError: '(' was never closed""".splitlines()


def test_frames_of_libraries_are_left_out_with_their_code() -> None:
    assert own_lines(COLLECTED) == [*COLLECTED[:2], *COLLECTED[-3:]]


def test_a_failure_without_libraries_stays_as_it_is() -> None:
    lines = [">   def test_total(): assert total([]) == 0", "                      ^^^^", "E   assert 1 == 0"]
    assert own_lines(lines) == lines
