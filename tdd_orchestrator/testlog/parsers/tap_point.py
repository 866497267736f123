"""One test point of TAP: its words, its YAML block, and what they say of a failure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.js_trace import JsTrace

_DIRECTIVE = re.compile(r"(?:^| )# ?(skip|todo)\w*\b ?(.*)$", re.IGNORECASE)
_TIME = re.compile(r" # time=\d[\d.]*m?s$")
_GROUP = re.compile(r"(?: # time=\d[\d.]*m?s)? \{$")  # Vitest: its points come after it, to a brace
_PLACE = re.compile(
    r"\s*\(?(?:from function [`'].{1,200}?' )?in (?P<test>test )?file (?P<file>\S{1,300}), line "
    r"(?P<line>\d{1,7})[,)]"
)
_WORDS_LIMIT = 20


class Diagnosis(JsTrace):
    """The lines below a point. Those of bats begin with where it failed; all that come after the place say
    why."""

    def __init__(self) -> None:
        super().__init__()
        self._places: list[str] = []
        self._why: list[str] = []

    def feed(self, line: str) -> None:
        place = _PLACE.match(line) if not self._message and not self._why else None
        if place:
            self._places.append(line.strip())
            if place["test"]:
                self.file, self.line = place["file"], int(place["line"])
        elif not self._places:
            super().feed(line)
        elif line.strip() and len(self._why) < _WORDS_LIMIT:
            self._why.append(line.strip()[:500])

    def explain(self, case: Case) -> Case:
        if not self._places:
            return super().explain(case)
        said, place = "\n".join(self._why), "\n".join(self._places)
        return replace(
            case, message=said or place, detail=f"{place}\n{said}".strip(), file=self.file, line=self.line
        )


@dataclass(slots=True)
class Point:
    case: Case
    depth: int
    group: bool = False
    yaml: dict[str, str] = field(default_factory=dict)
    children: int = 0  # points one level deeper that belong to it
    inner: Point | None = None  # the first red one among them
    _trace: Diagnosis | None = field(default=None, init=False)

    @property
    def bare(self) -> bool:
        """Whether no line below it was read."""
        return self._trace is None

    @property
    def trace(self) -> Diagnosis:
        """The lines below it: made when asked for, since most points have passed."""
        if self._trace is None:
            self._trace = Diagnosis()
        return self._trace


def died(point: Point) -> bool:
    """A red file without a red test: it ended in the middle."""
    if point.case.outcome is not Outcome.FAILED:
        return False
    return point.inner is None or point.inner.depth > point.depth + 4


def is_group(text: str) -> bool:
    return text[-1:] == "{" and bool(_GROUP.search(text))


def words(text: str) -> str:
    """What a point is called, without its time and a group's brace. Most have neither, and are not
    searched."""
    if "#" in text:
        text = _TIME.sub("", text)
    return _GROUP.sub("", text) if text[-1:] == "{" else text


def outcome_and_name(failed: bool, text: str) -> tuple[Outcome, str]:
    directive = _DIRECTIVE.search(text) if "#" in text else None
    name = text[: directive.start()] if directive else text
    name = name.strip().replace("\\#", "#")
    if directive:
        return Outcome.SKIPPED, name
    return (Outcome.FAILED if failed else Outcome.PASSED), name


def explained(point: Point) -> Case:
    """The message, type and place from the YAML block, or from the lines below the point."""
    if point.case.outcome is not Outcome.FAILED:
        return point.case
    while point.inner is not None:
        name, point = point.case, point.inner
        point.case = replace(point.case, id=name.id, name=name.name, message=point.case.name)
    yaml = point.yaml
    if not yaml and point.bare:
        return point.case
    trace = JsTrace()
    said = yaml.get("error") or yaml.get("message") or ""
    if not said and "expected" in yaml:
        said = f"expected: {yaml['expected']} actual: {yaml.get('actual', '')}"
    case = point.trace.explain(point.case)
    if not yaml:
        return case
    for frame in yaml.get("stack", "").split("\n"):
        trace.feed("at " + frame.removeprefix("at "))
    place = JsTrace()
    place.feed("at " + (yaml.get("at") or yaml.get("location") or ""))
    fields = dict(part.split(": ", 1) for part in yaml.get("at", "").split("\n") if ": " in part)
    line = int(fields["lineNumber"]) if fields.get("lineNumber", "").isdigit() else 0
    return replace(
        case,
        message=said or point.trace.message or yaml.get("diff", "") or point.case.message,
        exception=yaml.get("name") or yaml.get("type") or case.exception,
        file=fields.get("fileName") or trace.file or place.file or case.file,
        line=line or trace.line or place.line or case.line,
    )
