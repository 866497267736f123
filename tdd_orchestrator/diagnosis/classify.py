"""Classify one failure's text into a Diagnosis (D1-D3). Pure: no clock, no file, no git."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from tdd_orchestrator.diagnosis.locate import place_of_free, place_of_thrown
from tdd_orchestrator.diagnosis.match import Hit, Hits, RuleIndex, rule_index
from tdd_orchestrator.diagnosis.parts import take_apart
from tdd_orchestrator.diagnosis.pieces import Kind, Parts, Thrown, chains, fingerprint
from tdd_orchestrator.diagnosis.places import Place, place_in
from tdd_orchestrator.diagnosis.rules import Rule, Zone
from tdd_orchestrator.diagnosis.rules.raised_in import OWNERS
from tdd_orchestrator.model.diagnosis import SPECIALIST_OF, Diagnosis, ErrorType, RoutingType
from tdd_orchestrator.text import one_line

_THROWN, _LAST_RESORT, _WRAPPER, _WEAK = 100, 60, 20, -50  # what a zone adds to a rule's weight
_GENERIC = 22  # rules up to this weight only know that an exception was thrown
_ONLY_WRAPS = 21  # rules of this weight only know that a command failed
_REPORTS_OTHERS, _DEPTH = 98, 50  # a weight; how many chained causes are searched
_ABOUT_VALUES = ("ValueError", "KeyError", "IndexError", "LookupError")
_SPECIFIC = 45  # rules from this weight may be a secondary route
UNKNOWN_WARNING = "Error type unknown, using default agent"
_MESSAGE, _EVIDENCE = 1_000, 300  # characters


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The deciding hit, where it was found, and the other hits there."""

    hit: Hit
    score: int
    zone: str  # thrown | free | weak
    thrown: Thrown | None = None
    others: Iterable[Hit] = ()
    at: int = -1  # index of the line in the whole text, for free and weak


def classify(
    text: str,
    *,
    exception: str = "",
    stack: str = "",
    console: Sequence[str] = (),
    network: Sequence[str] = (),
    extra_rules: Sequence[Rule] = (),
    root: str = "",
) -> Diagnosis:
    """Return the kind, evidence, place and specialist of a failure.

    ``text`` is the output or message as printed; ``exception`` and ``stack`` come from a report;
    ``console`` and ``network`` entries only give a second opinion. ``root``: the project's folder as
    printed in paths.
    """
    parts = take_apart(_joined(text, exception, stack))
    asked = rule_index(tuple(extra_rules))
    verdict = _decide(parts, asked)
    side = Hits(asked, "\n".join((*console, *network))[-200_000:], Zone.FREE) if console or network else ()
    aside = next(iter(side), None) if verdict is None else None
    if aside is not None:
        verdict = _Verdict(aside, aside.score + _WEAK, "weak", others=side)
    if verdict is None:
        return _unknown(parts, exception, root)
    if verdict.hit.rule.routing is RoutingType.UI:
        verdict = _of_page(verdict, side) or verdict
    return _diagnosis(verdict, side, parts, exception, root)


def _of_page(verdict: _Verdict, side: Iterable[Hit]) -> _Verdict | None:
    """Return the page's own exception, where a test only missed an element (D1: runtime before ui)."""
    specific = (
        hit
        for found in (verdict.others, side)
        for hit in takewhile(lambda hit: hit.rule.weight >= _SPECIFIC, found)
    )
    thrown = next((hit for hit in specific if _threw(hit.rule)), None)
    return _Verdict(thrown, verdict.score, "free", others=(verdict.hit,)) if thrown else None


def _threw(rule: Rule) -> bool:
    """Whether a rule is of code that broke, and not of a test's expectation."""
    return rule.routing is RoutingType.RUNTIME and rule.error not in (ErrorType.TEST, ErrorType.TIMEOUT)


def _joined(text: str, exception: str, stack: str) -> str:
    head = f"{exception}: {text}" if exception and exception not in text[:20_000] else text
    return f"{head}\n{stack}" if stack and stack[:200] not in text else head


def _decide(parts: Parts, asked: RuleIndex) -> _Verdict | None:
    own = [thrown for thrown in parts.thrown if not thrown.logged]
    verdicts = [_of_chain(_main_chain(own), asked, parts.text), _of_lines(parts, Kind.FREE, asked)]
    best = max((one for one in verdicts if one), key=lambda one: one.score, default=None)
    if best is not None and best.score > 0:
        return best
    logged = _of_chain(_main_chain([one for one in parts.thrown if one.logged]), asked, parts.text)
    weak = _of_lines(parts, Kind.WEAK, asked)
    options = [
        replace(one, score=one.score + _WEAK, zone="weak") for one in (logged, weak) if one is not None
    ]
    found = max(options, key=lambda one: one.score, default=None)
    return found if found and found.score > 0 else best


def _main_chain(thrown: list[Thrown]) -> list[Thrown]:
    """Return the chain of the first failure in a runner's blocks, else the last, else the first stack."""
    found = chains(thrown)
    for source, last in (("pytest", False), ("block", False), ("single", False), ("traceback", True)):
        fitting = [chain for chain in found if chain[0].source == source]
        if fitting:
            return fitting[-1 if last else 0]
    return found[0] if found else []


def _of_chain(chain: list[Thrown], asked: RuleIndex, whole: str) -> _Verdict | None:
    best: _Verdict | None = None
    for depth, thrown in enumerate(chain[:_DEPTH]):
        if (
            depth
            and best
            and (chain[0].assertion or (chain[0].link == "during" and best.hit.rule.weight > _GENERIC))
        ):
            break
        libraries = (f"lib:{name}" for name in sorted(thrown.libraries))
        text = "\n".join((thrown.statement, thrown.raw, *thrown.body, *libraries, *_owners(thrown)))
        excluded = (RoutingType.BUILD, RoutingType.UI) if _is_value_error(thrown) else ()
        found = Hits(asked, text, Zone.THROWN, whole=whole, only_asserts=thrown.assertion, excluded=excluded)
        first = next(iter(found), None)
        if first is None:
            continue
        score = first.score + _bonus(first.rule) - depth
        same = best is not None and thrown.link != "because" and first.rule.routing is RoutingType.RUNTIME
        if best is None or (
            score > best.score and not (same and best.hit.rule.routing is RoutingType.RUNTIME)
        ):
            best = _Verdict(first, score, "thrown", thrown, found)
    return best


def _is_value_error(thrown: Thrown) -> bool:
    """Whether the project's own Python code raised a plain error about a value.

    Compilers and browsers print no such errors.
    """
    python = thrown.source in ("traceback", "pytest") and thrown.exception in _ABOUT_VALUES
    return python and bool(thrown.frames) and not thrown.raised_in


def _owners(thrown: Thrown) -> list[str]:
    """Return the libraries of the innermost frame and of the exception's name."""
    module = thrown.exception.rpartition(".")[0].split(".")
    named = ".".join(module[:2]) if module[0] in ("com", "org", "io", "oracle", "redis") else module[0]
    return [f"raised:{name}" for name in (thrown.raised_in, named) if name]


def _bonus(rule: Rule) -> int:
    """Return the bonus of a thrown exception over printed text; none if it only says that a command
    failed."""
    if rule.weight == _ONLY_WRAPS:
        return _WRAPPER
    return _THROWN if rule.weight > _GENERIC else _LAST_RESORT


def _of_lines(parts: Parts, kind: Kind, asked: RuleIndex) -> _Verdict | None:
    indices = [index for index, one in enumerate(parts.kinds) if one is kind and parts.lines[index].strip()]
    if not indices:
        return None
    found = Hits(asked, "\n".join(parts.lines[index] for index in indices), Zone.FREE, whole=parts.text)
    first = next(iter(found), None)
    if first is None:
        return None
    bonus = _THROWN if first.rule.weight >= _REPORTS_OTHERS else 0
    return _Verdict(first, first.score + bonus, kind.value, None, found, indices[first.at])


def _confidence(verdict: _Verdict) -> float:
    weight = verdict.hit.rule.weight
    steps = ((80, 0.95), (60, 0.9), (45, 0.8), (_GENERIC + 1, 0.65))
    base = next((value for least, value in steps if weight >= least), 0.5)
    return round(base * (0.5 if verdict.zone == "weak" else 1.0), 2)


def _secondary(verdict: _Verdict, side: Iterable[Hit]) -> RoutingType | None:
    own = verdict.hit.rule
    if own.secondary is not None:
        return own.secondary
    for found in (verdict.others, side):
        for hit in takewhile(lambda hit: hit.rule.weight >= _SPECIFIC, found):
            if hit.rule.routing not in (own.routing, RoutingType.UNKNOWN):
                return hit.rule.routing
    ran = (
        verdict.thrown is not None and own.error is not ErrorType.SYNTAX
    )  # a file with a syntax error never ran
    if ran and own.routing not in (RoutingType.RUNTIME, RoutingType.UNKNOWN):
        return RoutingType.RUNTIME
    return None


def _routing(verdict: _Verdict) -> RoutingType:
    """Return the route.

    A rule without one (disk, ports, rights) is a runtime error if project code raised it; a time-out of
    a driver belongs to the driver.
    """
    rule, thrown = verdict.hit.rule, verdict.thrown
    raised = thrown is not None and (bool(thrown.frames) or thrown.source in ("traceback", "single"))
    if rule.routing is RoutingType.UNKNOWN and rule.error is ErrorType.TIMEOUT:
        owner = next((hit.rule.routing for hit in verdict.others if hit.rule.name in OWNERS), None)
        if owner is not None:
            return owner
    if (
        rule.routing is RoutingType.UNKNOWN
        and raised
        and rule.error in (ErrorType.RESOURCE, ErrorType.TIMEOUT)
    ):
        return RoutingType.RUNTIME
    if rule.routing is RoutingType.UNKNOWN and rule.error is ErrorType.DEPENDENCY and raised:
        return RoutingType.RUNTIME
    return rule.routing


def _place(verdict: _Verdict, parts: Parts, root: str, build: bool) -> Place:
    """Return the place: a compiler's own line is better than the frames of the program that called it."""
    thrown = verdict.thrown
    own = place_in(verdict.hit.line, root) if build and thrown else None
    if own is not None or thrown is None:
        return own or place_of_free(parts, verdict.at, root)
    found = place_of_thrown(thrown, root, path_is_enough=build)
    if build and not found.line:  # a bundler prints the place before the error
        above = (place_in(line, root) for line in parts.lines[max(0, thrown.at - 8) : thrown.at])
        return next((place for place in above if place), found)
    return found


def _diagnosis(verdict: _Verdict, side: Iterable[Hit], parts: Parts, exception: str, root: str) -> Diagnosis:
    rule, thrown = verdict.hit.rule, verdict.thrown
    routing = _routing(verdict)
    build = routing is RoutingType.BUILD
    place = _place(verdict, parts, root, build)
    message = one_line(thrown.statement if thrown else verdict.hit.line, _MESSAGE)
    name = (thrown.exception if thrown else "") or exception
    by_file = routing in (RoutingType.RUNTIME, RoutingType.BUILD) and rule.error is not ErrorType.DEPENDENCY
    secondary = _secondary(verdict, side)
    return Diagnosis(
        routing_type=routing,
        secondary=secondary if secondary is not routing else None,
        error_type=rule.error,
        category=rule.category,
        severity=rule.severity,
        confidence=_confidence(verdict),
        evidence=one_line(verdict.hit.line, _EVIDENCE),
        rule=rule.name,
        file=place.file,
        line=place.line,
        message=message,
        exception=name,
        fingerprint=fingerprint(routing.value, name, message, place.file if by_file else ""),
        specialist=SPECIALIST_OF[routing],
        warning=UNKNOWN_WARNING if routing is RoutingType.UNKNOWN else "",
    )


def _unknown(parts: Parts, exception: str, root: str) -> Diagnosis:
    last_line = next((line for line in reversed(parts.lines) if line.strip()), "")
    place = next((found for line in parts.lines[:2_000] if (found := place_in(line, root))), Place(""))
    message = one_line(last_line, _MESSAGE)
    return Diagnosis(
        file=place.file,
        line=place.line,
        message=message,
        exception=exception,
        fingerprint=fingerprint(RoutingType.UNKNOWN.value, exception, message),
        specialist=SPECIALIST_OF[RoutingType.UNKNOWN],
        warning=UNKNOWN_WARNING,
    )
