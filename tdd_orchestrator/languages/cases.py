"""Match the cases of a runner's report with the tests of source files.

A runner prints a test as `tests/test_a.py::TestA::test_x[1]`, `test_x (a.TestA.test_x)`, `calc > adds`,
`pkg.CalcTest.adds(int)[2]`, `TestDoubles/one#01` and so on. Each pair of test and case gets a score, and a
case belongs to the tests with the best one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePosixPath

from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.find import SourceTest
from tdd_orchestrator.model.report import Case

SURE = 10
"""From this score on, name and groups agree."""

_ROW = r"(?:\s?[\[({].*|#\d.*|/.*|::case.*| with (?:data ?set |\().*)?"
_UNITTEST = re.compile(r"(?P<name>\w+) \((?P<place>[\w.$]+)\)(?P<row>.*)", re.DOTALL)
_MAVEN = re.compile(
    r"(?P<name>[\w$]+)(?P<row>\([^()]*\))?\((?P<place>[\w.$]+\.[\w.$]+)\)(?P<more>.*)", re.DOTALL
)
_WORD = re.compile(r"\w+")
_FILE = re.compile(r"[\w./\\-]+\.(?:py|[cm]?[jt]sx?|rb|php|lua|exs|bats|t)(?=:|\s|$)")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FILLED = re.compile(r"[%$#]\{[^{}]*\}|[%$#][\w.]*|\{[^{}]*\}")
"""What a runner fills in where a title names a row's value."""


class Candidates:
    """Finds the tests that may be a case, by a look at the words of their names: quick, and none is missed.

    Made once for many cases. Each name stands under the rarest few letters of its words, so that a case is held
    against the names whose letters it has, and not against every test of a large file.
    """

    def __init__(self, tests: Iterable[SourceTest]) -> None:
        self._tests = list(tests)
        names = [
            (at, _words(name)) for at, test in enumerate(self._tests) for name in (test.name, *test.subtests)
        ]
        pieces = [{piece for word in words for piece in _pieces(word)} for _, words in names]
        common = Counter(piece for found in pieces for piece in found)
        self._named: dict[str, list[tuple[int, list[str]]]] = {}
        for name, found in zip(names, pieces, strict=True):
            rarest = min(sorted(found), key=common.__getitem__, default="")
            self._named.setdefault(rarest, []).append(name)
        self._lengths = {len(piece) for piece in self._named}

    def of(self, case: Case) -> list[SourceTest]:
        text = _letters(case.id if case.name in case.id else f"{case.id} {case.name}")
        held = {piece for length in self._lengths for piece in _pieces(text, length)}
        found = {
            at
            for piece in held & self._named.keys()
            for at, words in self._named[piece]
            if all(word in text for word in words)
        }
        return [self._tests[at] for at in sorted(found)]

    def best(self, case: Case) -> tuple[int, Sequence[SourceTest]]:
        """Return the best score of a case and the tests that have it; 0 and none where no test fits."""
        scores = [(score(test, case.id, case.name, case.file), test) for test in self.of(case)]
        best = max((value for value, _ in scores), default=0)
        return best, [test for value, test in scores if value == best > 0]


def _words(name: str) -> list[str]:
    """Return the words of a test's name that its cases share, the longest first; a row's own value is none."""
    words = re.findall(r"[a-z0-9]+", _FILLED.sub(" ", name).lower())
    return sorted({word.removeprefix("test") for word in words}, key=len, reverse=True)


def _pieces(text: str, length: int = 3) -> list[str]:
    """Return what a text has of so many letters in a row; a shorter one is a piece by itself."""
    return [text[at : at + length] for at in range(max(1, len(text) - length + 1))]


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def assign_cases(tests: Iterable[SourceTest], cases: Iterable[Case]) -> dict[str, tuple[Case, ...]]:
    """Return the cases of each test, by its id: the rows of a parametrized test are all its cases.

    A test that is surely some of them is none that has only its last name (`src/lib.rs - Parser::name`, an
    example in a comment, beside `tests::name`).
    """
    known = list(tests)
    found: dict[str, list[tuple[Case, bool]]] = {test.id: [] for test in known}
    candidates = Candidates(known)
    for case in cases:
        best, owners = candidates.best(case)
        for test in owners:
            found[test.id].append((case, best >= SURE))
    sure = {key for key, some in found.items() if any(surely for _, surely in some)}
    return {
        key: tuple(case for case, surely in some if surely or key not in sure) for key, some in found.items()
    }


def score(test: SourceTest, case_id: str, case_name: str, case_file: str = "") -> int:
    """Return how well a case fits a test: 0 not at all, under SURE by its name alone, more the more groups
    agree."""
    texts = {text: None for text in (case_id, case_name) if text}
    names = (test, *(_subtest(test, title) for title in test.subtests))
    best = max((_score_text(one, _plain(text)) for text in texts for one in names), default=0)
    if best == 0:
        return 0
    if case_file and _same_file(test.path, case_file):
        return best + 200
    if not case_file or _may_be_helper(test.path, case_file):
        return best + _common(test.path, case_id)
    return best if not _is_test_file(case_file, test.path) else min(best, SURE - 1)


def _subtest(test: SourceTest, title: str) -> SourceTest:
    return replace(test, name=title, title=(*test.title, title))


def _plain(text: str) -> str:
    """Return `place.name row` for the forms that name a place behind the test."""
    if (match := _UNITTEST.fullmatch(text)) is not None:
        place = match["place"]
        return (place if place.endswith("." + match["name"]) else f"{place}.{match['name']}") + match["row"]
    if (match := _MAVEN.fullmatch(text)) is not None:
        return f"{match['place']}.{match['name']}{match['row'] or ''}{match['more']}"
    return text


@lru_cache(maxsize=4096)
def _pattern(name: str, path: str) -> re.Pattern[str]:
    language = language_of(path)
    if language is not None and language.case is not None:
        named = language.case(name)
    else:
        named = re.escape(name).replace(r"\ ", "[ _]")
    return re.compile(rf"(?P<before>.*?)(?<![^\W_])(?:test[_ ])?{named}{_ROW}", re.DOTALL)


def _score_text(test: SourceTest, text: str) -> int:
    match = _pattern(test.name, test.path).fullmatch(text)
    if match is None:
        return 1 if _squashed(text) == _squashed(test.name) else 0
    before = match["before"]
    groups = _WORD.findall(_FILLED.sub(" ", " ".join(test.title[:-1])))
    if _FILLED.match(test.name):  # what it is filled with may hold all that stands before it
        return _score_filled(test.name, groups) if _is_subsequence(groups, _WORD.findall(text)) else 2
    if (named := _FILE.search(before)) is not None and not _same_file(test.path, named[0]):
        return 5 if named[0].endswith(PurePosixPath(test.path).suffix) else 0
    words = _WORD.findall(before)
    if not words:
        return 30 if groups else 50
    if groups and words[-len(groups) :] == groups:
        return 100 + len(groups)
    if groups and groups[-len(words) :] == words:
        return 60 + len(words)
    if groups:
        return 20 if _is_subsequence(groups, words) else 2
    return _without_groups(before, words, test.path)


def _score_filled(name: str, groups: list[str]) -> int:
    """Return the score of a title that begins with a row's value: more groups and more words of its own are
    better, and a test of that very name in these groups is better still."""
    return 16 + 6 * min(3, len(groups)) + min(5, len(_FILLED.sub("", name)))


def _without_groups(before: str, words: list[str], path: str) -> int:
    """Return the score of a test outside groups: what stands before its name is a file, a module or a
    package."""
    of_path = set(_WORD.findall(path))
    rest = [word for word in words if word not in of_path and not word.isdigit()]
    if not rest:
        return 50
    return 5 if rest[-1][:1].isupper() or " " in before.strip() else 15


def _is_subsequence(short: list[str], long: list[str]) -> bool:
    rest = iter(long)
    return all(word in rest for word in short)


@lru_cache(maxsize=4096)
def _squashed(text: str) -> str:
    words = re.split(r"::|[>›→]", text)[-1]
    joined = "".join(_WORD.findall(_CAMEL.sub(" ", words))).replace("_", "").lower()
    return joined.removeprefix("test") or joined


def _common(path: str, case_id: str) -> int:
    return len(set(_WORD.findall(path)) & set(_WORD.findall(case_id)))


def _same_file(path: str, other: str) -> bool:
    ours = path.replace("\\", "/").split("/")
    theirs = [part for part in other.replace("\\", "/").split("/") if part not in ("", ".")]
    length = min(len(ours), len(theirs))
    return length > 0 and ours[-length:] == theirs[-length:]


def _may_be_helper(path: str, other: str) -> bool:
    """Return whether the file of a failure may be one of helpers, in the folder of the test."""
    language = language_of(path)
    beside = PurePosixPath(path).with_name(PurePosixPath(other.replace("\\", "/")).name)
    return language is not None and language.one_a_folder and _same_file(str(beside), other)


def _is_test_file(other: str, path: str) -> bool:
    """Return whether a file is named like a test: the file of a case may also be where its exception came
    from."""
    stem = other.replace("\\", "/").rsplit("/", 1)[-1].lower()
    return ("test" in stem or "spec" in stem) and language_of(other) is language_of(path)
