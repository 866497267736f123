"""Build the subject of the questions from a proven candidate, and put them to its target tests, one run a
question in the clean tree."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from tdd_orchestrator.cycle.attempt.candidate import Candidate
from tdd_orchestrator.cycle.counterfactual.answers import (
    NOT_RUN,
    SLOWEST,
    WITHOUT_TOKEN,
    Answer,
    Asked,
    Question,
    TwinRun,
    Word,
    read_answer,
)
from tdd_orchestrator.cycle.proof import Proof, Prover
from tdd_orchestrator.languages import language_of, why_not
from tdd_orchestrator.languages.cases import assign_cases
from tdd_orchestrator.languages.functions import changed_functions, outside_functions
from tdd_orchestrator.languages.source import SourceTest, find_tests
from tdd_orchestrator.languages.twins import Twin, neutral, planted_symbol, poison, shift, stub
from tdd_orchestrator.model.report import Case, Outcome, Report
from tdd_orchestrator.workspace.guard import Change

_ALONE = 3  # targets that are asked one by one where the runner names no tests
_AGAIN = 3  # runs more of a twin that fails by something else, or that does not come to a test
_ORDER = (Question.SHIFT, Question.STUB, Question.POISON)  # in the order of what they find

RunTwin = Callable[[Mapping[str, str], Sequence[Case]], tuple[Report, str]]
"""Texts by path, and the cases whose files are to be run (none: all): the run's report and its output's end."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of the questions.

    ``tests``: the targets by their id in the source; ``cases``: how the plain run named each; ``texts``:
    their files; ``code``: production files that GREEN changed, before and after; ``unread``: targets that
    no file holds, with the reason.
    """

    tests: Mapping[str, SourceTest]
    cases: Mapping[str, tuple[Case, ...]]
    texts: Mapping[str, str]
    code: Mapping[str, tuple[str, str]]
    unread: Mapping[str, str] = field(default_factory=dict)
    only_functions: bool = True  # GREEN changed nothing outside functions


@dataclass(frozen=True, slots=True)
class _Rewrite:
    """Rewritten files, the tests (or functions) that they question, and why the others are not asked."""

    texts: dict[str, str]
    asked: frozenset[str]
    not_asked: dict[str, str]


def ask(subject: Subject, wanted: Sequence[str], run: RunTwin) -> Asked:
    """Ask the wanted questions, the most telling first, up to the first that refuses.

    An answer refuses only where a second run says the same.
    """
    started = time.monotonic()
    session = _Session(subject, run)
    answers: list[Answer] = []
    blame = ""
    for question in _ORDER:
        if question not in wanted:
            continue
        found = session.put(question)
        if any(answer.word is Word.STILL_PASSES for answer in found):
            again = {answer.test: answer for answer in session.put(question)}
            found = [_later(answer, again.get(answer.test, answer)) for answer in found]
        answers += found
        refusing = [answer for answer in found if answer.word is Word.STILL_PASSES]
        if refusing:
            blame = session.blame(question, refusing[0].test)
            break
    seconds = round(time.monotonic() - started, 3)
    hidden = tuple(dict.fromkeys(answer.test for answer in answers if answer.hidden))
    return Asked(tuple(answers), session.function_names, blame, seconds, hidden)


def ask_once(subject: Subject, question: Question, run: RunTwin) -> tuple[Answer, ...]:
    """Ask one question without a second run: the answers refuse nothing by themselves."""
    return tuple(_Session(subject, run).put(question))


class _Session:
    """The questions about one subject: rewriting, running, reading."""

    def __init__(self, subject: Subject, run: RunTwin) -> None:
        self._subject = subject
        self._run = run
        self._functions = {
            path: tuple(function.key for function in changed_functions(before, after, path))
            for path, (before, after) in subject.code.items()
        }

    @property
    def function_names(self) -> tuple[str, ...]:
        return tuple(f"{path}: {name}" for path, names in self._functions.items() for name in names)

    def put(self, question: Question) -> list[Answer]:
        answers = [Answer(question, test, Word.NOT_ASKED, why) for test, why in self._subject.unread.items()]
        named = [test for test in self._subject.tests if self._subject.cases.get(test)]
        unnamed = [test for test in self._subject.tests if test not in named]
        groups = [named] if named else []
        groups += [[test] for test in unnamed[:_ALONE]]
        for group in groups:
            answers += (
                self._stub(group)
                if question is Question.STUB
                else _each(group, partial(self._twin, question))
            )
        why = f"the runner names no tests, and {_ALONE} of its targets were asked"
        answers += [Answer(question, test, Word.NOT_ASKED, why) for test in unnamed[_ALONE:]]
        return answers

    def blame(self, question: Question, test: str) -> str:
        """Find who disarmed a question: stub GREEN's functions and see whether the same twin still passes."""
        if question is Question.STUB:
            return "test"
        token = secrets.token_hex(8)
        rewrite = self._rewritten(question, [test], token)
        for stubs in (self._stubbed("raises", token).texts, self._planted()):
            run = self._ran({**stubs, **rewrite.texts}, [test], token)
            if stubs and not run.report.build_error:
                answer = read_answer(Question.STUB, test, self._subject.cases.get(test, ()), run)
                return "test" if answer.word is Word.STILL_PASSES else "code"
        return "test"

    def _twin(self, question: Question, tests: Sequence[str]) -> list[Answer]:
        token = secrets.token_hex(8)
        rewrite = self._rewritten(question, tests, token)
        answers = [
            Answer(question, test, Word.NOT_ASKED, rewrite.not_asked[test])
            for test in tests
            if test not in rewrite.asked
        ]
        asked = [test for test in tests if test in rewrite.asked]
        if not asked:
            return answers
        run = self._ran(rewrite.texts, asked, token)
        for test in asked:
            answer = read_answer(question, test, self._subject.cases.get(test, ()), run)
            answers.append(self._settled(answer) if _unsettled(answer) else answer)
        return answers

    def _settled(self, answer: Answer) -> Answer:
        """A test that fails by something else than its twin: always so, or where code under test lost a race
        against it? And does it fail with one comment more in its file as well? It is rewritten alone: each failure
        of a large file takes its time. Where it fails whenever its file is run alone, whole runs decide."""
        path = self._subject.tests[answer.test].path
        plain = self._subject.cases.get(answer.test, ())
        same_text = {path: neutral(self._subject.texts[path], path)}
        token = secrets.token_hex(8)
        texts = self._rewritten(answer.question, [answer.test], token).texts
        for chosen, times in ((plain, _AGAIN), ((), 1)):
            for _ in range(times):
                again = read_answer(answer.question, answer.test, plain, self._asked(texts, chosen, token))
                if not _unsettled(again):
                    return again
            run = self._asked(same_text, chosen, "")
            if read_answer(Question.STUB, answer.test, plain, run).word is Word.STILL_PASSES:
                return answer
        return Answer(
            answer.question, answer.test, Word.STILL_PASSES, "it passes with the very text of its file alone"
        )

    def _stub(self, tests: Sequence[str]) -> list[Answer]:
        """Both worlds: functions that raise; and, for tests that pass then, functions that return nothing."""
        if not any(self._functions.values()):
            why = "the change has no function that can be replaced"
            return [Answer(Question.STUB, test, Word.NOT_ASKED, why) for test in tests]
        answers: dict[str, Answer] = {}
        left = list(tests)
        for world in ("raises", "nothing"):
            token = secrets.token_hex(8)
            rewrite = self._stubbed(world, token)
            if not rewrite.asked or not left:
                break
            found = _each(left, partial(self._stubbed_answers, rewrite.texts, token))
            answers |= {answer.test: answer for answer in found}
            left = [test for test in left if answers[test].word is Word.STILL_PASSES]
        for test in left:
            if not self._subject.only_functions:
                why = "it passes without the new functions, and more than functions changed"
                answers[test] = Answer(Question.STUB, test, Word.NOT_ASKED, why)
        return [answers.get(test) or Answer(Question.STUB, test, Word.NOT_ASKED, "no stub") for test in tests]

    def _stubbed_answers(self, texts: Mapping[str, str], token: str, tests: Sequence[str]) -> list[Answer]:
        run = self._ran(texts, tests, token)
        return [read_answer(Question.STUB, test, self._subject.cases.get(test, ()), run) for test in tests]

    def _rewritten(self, question: Question, tests: Sequence[str], token: str) -> _Rewrite:
        rewrite = poison if question is Question.POISON else shift
        by_path: dict[str, list[str]] = {}
        for test in tests:
            by_path.setdefault(self._subject.tests[test].path, []).append(test)
        twins = {path: rewrite(self._subject.texts[path], path, ids, token) for path, ids in by_path.items()}
        return _joined(twins)

    def _stubbed(self, world: str, token: str) -> _Rewrite:
        twins = {
            path: stub(
                self._subject.code[path][1], path, names, token, "raises" if world == "raises" else "nothing"
            )
            for path, names in self._functions.items()
            if names
        }
        return _joined(twins)

    def _planted(self) -> dict[str, str]:
        """Return the code as it was before GREEN, with GREEN's functions as stubs at its end: for code that
        calls its own functions while it is loaded."""
        stubs = {path: planted_symbol(_outermost(names), path) for path, names in self._functions.items()}
        return {
            path: f"{self._subject.code[path][0].rstrip()}\n\n\n{stub}".lstrip()
            for path, stub in stubs.items()
            if stub is not None
        }

    def _ran(self, texts: Mapping[str, str], tests: Sequence[str], token: str) -> TwinRun:
        return self._asked(
            texts, [case for test in tests for case in self._subject.cases.get(test, ())], token
        )

    def _asked(self, texts: Mapping[str, str], cases: Sequence[Case], token: str) -> TwinRun:
        """Run the files of some cases, or everything where none is given."""
        report, output = self._run(texts, cases)
        return TwinRun(report, output, token)


def _outermost(functions: Sequence[str]) -> list[str]:
    """Return the names that stand at the top of the file: of ``Calc.add`` the class."""
    return list(dict.fromkeys(re.split(r"\W", name)[0] for name in functions))


def _each(tests: Sequence[str], ask: Callable[[Sequence[str]], list[Answer]]) -> list[Answer]:
    """Ask all of them at once; those that another one kept from running, without it."""
    answers = ask(tests)
    for _ in range(_AGAIN):
        waiting = [answer.test for answer in answers if answer.why == NOT_RUN]
        if not waiting or len(waiting) == len(tests):
            break
        tests = waiting
        answers = [*(one for one in answers if one.test not in waiting), *ask(waiting)]
    return answers


def _unsettled(answer: Answer) -> bool:
    return answer.why == WITHOUT_TOKEN


def _later(first: Answer, second: Answer) -> Answer:
    """Return the second answer, where it is one: a test that passed once is not cleared by no answer."""
    return first if second.word is Word.NOT_ASKED else second


def _joined(twins: Mapping[str, Twin]) -> _Rewrite:
    return _Rewrite(
        {path: twin.text for path, twin in twins.items() if twin.asked},
        frozenset(test for twin in twins.values() for test in twin.asked),
        {test: why for twin in twins.values() for test, why in twin.not_asked.items()},
    )


def unread_reason(path: str) -> str:
    """Return why the tests of a file cannot be asked."""
    return why_not(path) or "the test is not found in its file"


def subject_of(
    targets: Iterable[str],
    proof: Proof,
    texts: Mapping[str, str],
    candidate: Candidate,
    is_test: Callable[[str], bool],
    cases_of: Callable[[str], Sequence[Case]],
) -> Subject:
    """Return the targets as their files show them, with the code that GREEN changed.

    ``targets``: ids that RED proved; ``texts``: the test files that RED wrote or changed, as they are in the
    proven tree; ``cases_of`` finds a target's cases in the proof's report.
    """
    tests = {test.id: test for path, text in texts.items() for test in find_tests(text, path)}
    found: dict[str, SourceTest] = {}
    cases: dict[str, tuple[Case, ...]] = {}
    unread: dict[str, str] = {}
    for target in targets:
        mine = [case for case in cases_of(target) if case.outcome is Outcome.PASSED]
        sources = _sources_of(target, tests, mine)
        if not sources:
            unread[target] = unread_reason(mine[0].file if mine else target.partition("::")[0])
        for source in sources:
            found[source.id] = source
            cases[source.id] = (
                *cases.get(source.id, ()),
                *(case for case in mine if case not in cases.get(source.id, ())),
            )
    code = {
        change.path: (change.before or "", change.after)
        for change in candidate.changes
        if change.after is not None and not is_test(change.path) and language_of(change.path) is not None
    }
    return Subject(found, cases, texts, code, unread, _only_functions(candidate.changes, is_test))


def whole_project(tests: Sequence[SourceTest], report: Report, code: Mapping[str, str]) -> Subject:
    """Return new tests that pass, with every function of the project's code as what may be replaced."""
    passing = [case for case in report.cases if case.outcome is Outcome.PASSED]
    cases = {key: some for key, some in assign_cases(tests, passing).items() if some}
    found = {test.id: test for test in tests if test.id in cases}
    return Subject(found, cases, {}, {path: ("", text) for path, text in code.items()})


def _sources_of(target: str, tests: Mapping[str, SourceTest], cases: Sequence[Case]) -> list[SourceTest]:
    if target in tests:  # known from its source, where the runner names no tests
        return [tests[target]]
    # a runner that names failing tests only: RED's run named it, and this one does not
    named = cases or (Case(target, target.rpartition("::")[2], Outcome.PASSED),)
    assigned = assign_cases(tests.values(), named)
    return [tests[key] for key, some in assigned.items() if some]


def _only_functions(changes: Iterable[Change], is_test: Callable[[str], bool]) -> bool:
    """Whether everything that GREEN changed in production is inside functions, which a stub replaces."""
    return all(
        language_of(change.path) is not None
        and outside_functions(change.before or "", change.path)
        == outside_functions(change.after or "", change.path)
        for change in changes
        if not is_test(change.path)
    )


def runner_of(prover: Prover, commit: str) -> RunTwin:
    """Return a function that runs the files of some cases with other texts in the clean tree."""

    def run(texts: Mapping[str, str], cases: Sequence[Case]) -> tuple[Report, str]:
        return prover.run_rewritten(commit, texts, cases, SLOWEST)

    return run
