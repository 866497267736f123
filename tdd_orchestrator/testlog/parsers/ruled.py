"""Read runners that print one line for each test and a line of counts, by a table of rules.

A row's rules stand in the order in which they are tried, and the first that matches a whole line decides; an
expression of two lines begins with the line before. Each kind of rule:

- ``work``: a run is under way.
- ``suite``: the name of the suite of the next tests.
- ``section``: a list of results begins (its ``status`` is theirs), for ``listed`` and ``end``; or some counts.
- ``case``: one test (``name``; ``suite``, ``number`` in it, ``index``, ``status``, ``file``, ``line``,
  ``message``, ``type``; ``indent``: its details have more). Without ``name`` it has its suite's; ``name2`` is a
  part of it. ``listed``: the same, but only in a section.
- ``ahead``: file, line, message or type of the test that is named next, if it failed.
- ``count``: some counts of the run; those that follow its closing line are added to it;
  ``known`` failures are of those that passed.
- ``total``: the run's closing line, as ``Program.close_with`` reads it. ``end``: the same, but only in a section.
- ``about``: the details of the failure with this ``name`` follow, wherever its result stands.
- ``place`` and ``reason``: of the failure above, its file and line, its message and type; ``test``: a better place.
  ``frame``: a place of its stack.
  ``skip``: no part of its message. ``stop``: its end. Any other line that is not blank is a part of its message.
- ``unread``: a file could not be loaded (``file``, ``message``); its details follow.
- ``red``: the run as a whole failed. ``dead``: it died, as a group of that name says of a failed test.

``status``: the outcome of each status (``OK=passed  |  FAIL=failed``); a test without one failed. Where a test is
named again, ``first=yes`` or ``last=yes`` says which result counts. ``after=yes``: results are listed
after the total. ``again=yes``: closing lines repeat, and the last one counts. ``named=yes``: as many failed as are named. Without any of the rules for details
a failure has none. ``trace``: the language whose traces the details of a failure are (``js``, ``java``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import ClassVar

from tdd_orchestrator.model.report import BAD, BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers import whole as runs
from tdd_orchestrator.testlog.parsers.program import MESSAGE_LIMIT, Details, FailureTrace, Program, Tally
from tdd_orchestrator.testlog.parsers.traces import JavaTrace, JsTrace
from tdd_orchestrator.testlog.reading import LineReader, Reading, TextRow, events, passes, signs, whole
from tdd_orchestrator.text import Entry, parse_entries

_DETAILS = frozenset({"place", "test", "reason", "skip", "stop"})
_BREAKS = frozenset({"work", "section", "suite", "total", "end", "stop", "unread", "about"})
_IN_SECTION = frozenset({"listed", "end"})
KINDS = frozenset({"case", "ahead", "count", "red", "dead", *_DETAILS, *_BREAKS, *_IN_SECTION})
_COUNTED = frozenset(field.name for field in fields(Counts))
_TRACES: dict[str, type[FailureTrace]] = {"js": JsTrace, "java": JavaTrace}


class Rules:
    """A row's rules, compiled when they are first asked."""

    def __init__(self, rules: Sequence[tuple[str, str]], options: Sequence[str]) -> None:
        self._forms = [(kind, form) for kind, form in rules if kind in KINDS]
        values = dict(rules)
        words = values["status"].split("  |  ") if "status" in values else []
        self.outcomes = {name: Outcome(value) for name, _, value in (word.partition("=") for word in words)}
        self.options = frozenset(options)
        self.once = bool(self.options & {"first", "last"})
        self.trace: type[FailureTrace] = _TRACES.get(values.get("trace", ""), Details)
        self.compiled = not {"javascript", "julia", "python"}.intersection(options)
        self.detailed = self.trace is not Details or any(kind in _DETAILS for kind in values)

    @cached_property
    def rows(self) -> list[tuple[str, bool, re.Pattern[str]]]:
        """The kind of each rule, whether it is of two lines, and its expression."""
        return [(kind, r"\n" in form, re.compile(f"(?:{form})$")) for kind, form in self._forms]

    @cached_property
    def outside(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """All rules but those of details, of one line and of two: most lines match none, and are asked once."""
        forms = [re.sub(r"\(\?P<\w+>", "(?:", form) for kind, form in self._forms if kind not in _DETAILS]
        one = "|".join(form for form in forms if r"\n" not in form) or "(?!)"
        two = "|".join(form for form in forms if r"\n" in form) or "(?!)"
        return re.compile(f"(?:{one})$"), re.compile(f"(?:{two})$")


class RuledReader(Program):
    rules: ClassVar[Rules]

    @classmethod
    def of_row(cls, fields: Sequence[tuple[str, str]], options: Sequence[str]) -> type[RuledReader]:
        return type(cls.__name__, (cls,), {"rules": Rules(fields, options)})

    def __init__(self) -> None:
        super().__init__()
        self._before = ""
        self._section: str | None = None  # the status of what is listed
        self._block: FailureTrace | None = None  # the failure whose details are read
        self._about: dict[str, FailureTrace] = {}
        self._unread: list[tuple[BuildError, FailureTrace | None]] = []
        self._counts: dict[str, int] = {}  # read before the closing line
        self._depth = -1  # its indentation; its details have more
        self._suite = ""
        self._ahead: dict[str, str | None] = {}
        self._at: dict[str, int] = {}  # where each test stands among the cases

    def feed(self, line: str) -> None:
        text = line.rstrip()
        both, self._before = f"{self._before}\n{text}", text
        one_line, two_lines = self.rules.outside
        likely = self._block is not None or one_line.match(text) or two_lines.match(both)
        for kind, two, form in self.rules.rows if likely else ():
            if self._possible(kind) and (match := form.match(both if two else text)):
                self._apply(kind, match)
                return
        if text and len(text) - len(text.lstrip()) <= self._depth:
            self._block = None
        if self._block is not None:
            self._block.feed(line)
        elif self.rules.compiled and not self.open and not self.closed:
            self.build.feed(line)

    def _possible(self, kind: str) -> bool:
        if kind == "place" and self._block is not None:
            return not self._block.line
        return (self._block is not None or kind not in _DETAILS) and (
            self._section is not None or kind not in _IN_SECTION
        )

    def _apply(self, kind: str, match: re.Match[str]) -> None:
        found = match.groupdict()
        if kind in _BREAKS:
            self._block = None
        kind, begun = "total" if kind == "end" else kind, self.open
        self.open |= kind in ("work", "total") or (kind in ("section", "suite", "red") and not self.closed)
        if kind in ("case", "listed"):
            self._case(found)
        elif kind == "ahead":
            self._ahead = {**found, **self._ahead, "message": self._more(found)}
        elif kind in ("place", "test", "reason"):
            self._add_found(found)
        elif kind == "about":
            self._block = self._about[match["name"]] = self.rules.trace()
            self._add_found(found)
        elif kind == "section":
            self._section = found.pop("status", None) or ""
            self._count("count", found)
        elif kind == "suite":
            self._suite, self._ahead = match["name"].strip(), {}
        elif kind in ("count", "total"):
            self._count(kind, found)
        elif kind == "unread":
            self._block = self.rules.trace() if self.rules.trace is not Details else None
            message = (found.get("message") or match[0]).strip()
            error = BuildError(message, found.get("file") or "", exception=found.get("type") or "")
            self._unread.append((error, self._block))
            if self._block and found.get("message"):
                self._block.feed(error.message)
        elif kind == "red":
            self.ok = False
        elif kind == "dead":
            self.crashed = self.crashed or match[0].strip()
        if kind in ("work", "total"):
            after = "after" in self.rules.options
            self._section = "" if kind == "total" and after else None
            if after and not begun if kind == "work" else not (after and begun):
                self._at = {}  # what is named now is of another run

    def _count(self, kind: str, found: dict[str, str | None]) -> None:
        counts: dict[str, int] = {}
        for key, text in found.items():  # those of one name add up (``skipped2``)
            if text is not None or (kind == "total" and key in ("failed", "errors", "skipped")):
                key, text = key.rstrip("0123456789"), text or "0"
                counts[key] = counts.get(key, 0) + (int(text) if text.isdigit() else 1)
        if kind == "total":
            if "again" in self.rules.options:
                self.tally, self.ok = Tally(), True
            self.close_with(counts | self._counts, at_least="named" in self.rules.options)
            self._counts, self._suite = {}, ""
            return
        over = (
            bool(self.closed) and not self.open
        )  # then counts are added to that run, and the rest is of the next
        for key, number in counts.items():
            if over and key in _COUNTED:
                self.count(**{key: number})
            elif over and key == "known":
                self.tally.expect(number)
            elif over and key == "bad":
                self.ok &= not number
            else:
                self._counts[key] = number
        self.open |= not over

    def _more(self, found: dict[str, str | None]) -> str:
        """Return the message of the test that is named next, with what this line adds to it."""
        known, more = self._ahead.get("message"), found.get("message")
        return f"{known}\n{more}"[:MESSAGE_LIMIT] if known and more is not None else known or more or ""

    def _add_found(self, found: dict[str, str | None]) -> None:
        """Add what a rule found to the details."""
        if not isinstance(details := self._block, Details):
            return
        if frame := found.get("frame"):  # the innermost is printed first
            details.frames = (frame, *details.frames)
        if found.get("line"):
            details.file, details.line = found.get("file") or "", int(found["line"] or 0)
        if (message := found.get("message")) is not None:
            details.exception = found.get("type") or details.exception
            details.add(message)

    def _case(self, found: dict[str, str | None]) -> None:
        status = found.get("status") or self._section or ""
        outcome = self.rules.outcomes.get(status, Outcome.FAILED)
        if self._ahead and outcome in BAD:
            found = found | self._ahead
        names = [text.strip() for text in (found.get("name"), found.get("name2")) if text]
        name, index = " ".join(names) or self._suite, found.get("index")
        if not name:
            self.ok = False  # a failure of no test
            return
        suite = found.get("suite", self._suite) if names else ""
        parts = suite, found.get("number"), f"{name}[{index}]" if index else name
        identity = "::".join(filter(None, parts))
        case = Case(identity, name, outcome, found.get("file") or "", int(found.get("line") or 0))
        self.open |= "after" not in self.rules.options
        self._block, self._ahead = None, {}
        self._depth = len(found["indent"] or "") if "indent" in found else -1
        at, self.last = self._at.get(identity, -1), -1
        if at < 0:
            self.keep(case)
            if self.rules.once:
                self._at[identity] = len(self.cases) - 1
        elif "last" in self.rules.options:
            self.cases[at], self.last = case, at
            self.details.pop(at, None)
        else:
            return
        if outcome in BAD or outcome is Outcome.SKIPPED:
            self._explained(found)

    def _explained(self, found: dict[str, str | None]) -> None:
        """Begin the details of the failure that was named."""
        if found.get("dead"):
            self.crashed = self.crashed or (found["message"] or "")
        self._block = self.details[self.last % len(self.cases)] = self.rules.trace()
        self._add_found(found | ({"message": found.get("message") or ""} if found.get("type") else {}))
        if not self.rules.detailed:
            self._block = None

    def finish(self) -> Reading:
        for at, case in enumerate(self.cases):
            if case.outcome in BAD and case.name in self._about:
                self.details[at] = self._about[case.name]
        reading = super().finish()
        reading.build_errors += [
            trace.build_error(error.file) if trace else error for error, trace in self._unread
        ]
        return reading


_WHOLE = ("begins", "ends", "broken", "apart", "dies", "opens", "closes")
_NAMED = re.compile(r"\{(total|[A-Z_]+)\}")


def text_rows(table: str, *readers: type[LineReader], **forms: str) -> tuple[TextRow, ...]:
    """Return a table's rows. ``readers``: those that it names, other than ``RuledReader``.

    A row's head has language, reader, ``weight=`` if it is not 1, and name. Its fields: ``words`` of commands,
    each ``sign``, the row above whose ``signs`` are its too, the kinds of ``Whole``, and for a ``RuledReader`` its
    rules. ``passes`` with ``passed``, ``mark``, ``ended`` and ``numbered=yes``: unit, line, mark and ends of
    ``Passes``. ``event``: how each of its ``Events`` begins. ``{C_BUILD}`` stands for that expression in ``forms``
    or ``whole.py``, ``{total}`` for the row's own.
    """
    known: dict[str, type[LineReader]] = {reader.__name__: reader for reader in readers}
    known["RuledReader"] = RuledReader
    rows: dict[str, TextRow] = {}
    for entry in parse_entries(table):
        row = _row(entry, known, forms)
        if above := entry.get("signs"):
            row = replace(row, signs=row.signs + rows[above].signs)
        rows[row.name] = row
    return tuple(rows.values())


def _row(entry: Entry, readers: dict[str, type[LineReader]], forms: dict[str, str]) -> TextRow:
    language, kind, *rest = entry.head
    options = [word.partition("=")[0] for word in rest if word.endswith("=yes")]
    weight = next((int(word[7:]) for word in rest if word.startswith("weight=")), 1)
    name = " ".join(word for word in rest if "=" not in word)
    fields = [
        (key, _expanded(value, entry, forms))
        for key, value in entry.fields
        if key not in ("sign", "words", "event")
    ]
    reader = readers[kind]
    if issubclass(reader, RuledReader):
        reader = reader.of_row(fields, [language, *options])
    values = dict(fields)
    kinds = {key: value for key, value in fields if key in _WHOLE}
    part = values.get
    return TextRow(
        name,
        language,
        reader,
        signs(*(_expanded(sign, entry, forms) for sign in entry.all("sign"))),
        entry.words("words"),
        weight,
        passes(
            values["passes"], part("mark", ""), "numbered" in options, part("passed", ""), part("ended", "")
        )
        if "passes" in values
        else None,
        whole=whole(**kinds) if kinds else None,
        events=events(*entry.words("event")) if entry.get("event") else None,
    )


def _expanded(form: str, entry: Entry, forms: dict[str, str]) -> str:
    """Return the expression with those that it names, without their groups' names."""

    def part(match: re.Match[str]) -> str:
        if match[1].isupper():
            return forms.get(match[1]) or str(getattr(runs, match[1]))
        return "(?:" + re.sub(r"\(\?P<\w+>", "(?:", "|".join(entry.all(match[1]))) + ")"

    return _NAMED.sub(part, form)
