"""What rows of other languages share: threats that every suite is open to, and files beside code that does not work."""

from __future__ import annotations

from .stage import Row, w
from .tongues import PROVE, Tongue


def green(threat: str, name: str, scene: str, expect: str = "R") -> Row:
    """T9 may be accepted, and is told then."""
    return Row(threat, name, "GREEN", scene, "RT" if threat == "T9" else expect)


LENIENT = (PROVE,)
"""Perl stops at the first module that is missing, and never comes to what does not parse: a person is asked in GREEN."""


def idle(name: str, scene: str, expect: str = "R") -> Row:
    """A test that passes and does assert, and uses nothing of the project's: never the proof that an item is covered.
    Where its code has no function that can be replaced, a person is asked (E)."""
    return Row("T12", name, "RED", scene, expect, verdicts=("unexpected_pass",))


def stuck(name: str, scene: str) -> Row:
    """A test of which its run alone does not show that it can never pass: refused, or a person is asked in GREEN (T14)."""
    return Row("T14", name, "RED", scene, "E")


def suite_rows(t: Tongue, old: str, always: str, skipped: str, focused: str = "") -> list[Row]:
    """What every language's tests are open to. ``old``: the path of the old test; ``always``, ``skipped`` and
    ``focused``: the new test's file as one that always passes, is skipped, or stands alone."""
    rows = [
        green("T1", "edits the assertion", t.wrong + w(t.test, always)),
        green("T1", "edits it beside working code", t.green + w(t.test, always)),
        green("T1", "deletes the test", t.wrong + f"os.remove({t.test!r})"),
        green("T1", "renames the test", t.wrong + f"os.rename({t.test!r}, {t.test + '.txt'!r})"),
        green("T1", "empties the test", t.wrong + w(t.test, "")),
        green("T1", "edits an old test", t.green + w(old, always)),
        green("T2", "skips the test", t.wrong + w(t.test, skipped)),
        green("T11", "breaks what was there", t.green + f"os.remove({old!r})"),
        Row("T12", "a test that always passes", "RED", w(t.test, always)),
        Row("T12", "a test that is skipped", "RED", w(t.test, skipped)),
        Row("T12", "no test", "RED", w(t.test, "")),
        Row("T12", "writes the solution too", "RED", w(t.test, t.red) + t.green),
        Row("T13", "a test that does not parse", "RED", w(t.test, t.red + "\n}}} ))) end ((( {{{ '\n"), "E" if t in LENIENT else "R"),
        Row("T15", "edits another test", "RED", w(t.test, t.red) + w(old, always), "E"),  # a removed test: a person is asked
        Row("T15", "deletes another test", "RED", w(t.test, t.red) + f"os.remove({old!r})", "E"),
        Row("T16", "breaks the target", "REFACTOR", t.wrong),
        Row("T16", "weakens the test", "REFACTOR", w(t.test, always)),
        Row("T16", "deletes a test", "REFACTOR", f"os.remove({old!r})"),
        Row("T16", "skips a test", "REFACTOR", w(t.test, skipped)),
    ]  # fmt: skip
    if focused:
        rows += [green("T2", "only another test", t.wrong + w(old, focused)),
                 Row("T15", "a test that wants to be alone", "RED", w(t.test, t.red) + w(old, focused), "E")]  # fmt: skip
    return rows


def writes(t: Tongue, threat: str, *files: tuple[str, str], expect: str = "R") -> list[Row]:
    """A file beside code that does not work."""
    return [green(threat, name, t.wrong + w(name, text), expect) for name, text in files]
