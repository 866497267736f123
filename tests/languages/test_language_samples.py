"""Every language finds and rewrites what its own samples say."""

from __future__ import annotations

import pytest

from tdd_orchestrator import languages
from tdd_orchestrator.languages import Language, all_languages, language_of, why_not
from tdd_orchestrator.languages.base import CodeSample, Sample
from tdd_orchestrator.languages.functions import changed_functions, public_names
from tdd_orchestrator.languages.shift import halves
from tdd_orchestrator.languages.source import find_tests, imports
from tdd_orchestrator.languages.twins import poison, shift, stub

TOKEN = "ka7tb2vx"
KNOWN = [(lang, s) for lang in all_languages() for s in lang.samples if language_of(s.path) is lang]
TESTS = [(lang, s) for lang, s in KNOWN if isinstance(s, Sample)]
CODE = [(lang, s) for lang, s in KNOWN if isinstance(s, CodeSample)]


def _id(value: object) -> str:
    return value.name if isinstance(value, Language) else getattr(value, "path", "")


def _filled(part: str) -> str:
    for name, half in halves(TOKEN).items():
        part = part.replace("{" + name + "}", half)
    return part.replace("token", TOKEN)


def test_every_language_has_samples_and_a_suffix_of_its_own() -> None:
    suffixes = [suffix for language in all_languages() for suffix in language.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert {language.name for language in all_languages() if not language.samples} <= {"TSX"}


def test_a_file_without_a_language_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    assert language_of("a.py") is not None
    assert why_not("a.py") == ""
    assert language_of("a.zig") is None
    assert why_not("a.zig") == "Files ending in .zig cannot be read."
    monkeypatch.setattr(languages, "_installed", lambda module: False)
    assert language_of("a.kt") is None
    assert "'.[languages]'" in why_not("a.kt")
    assert poison("x", "a.kt", ["a.kt::t"], TOKEN).not_asked == {"a.kt::t": why_not("a.kt")}


@pytest.mark.parametrize(("language", "sample"), TESTS, ids=_id)
def test_tests_are_found(language: Language, sample: Sample) -> None:
    assert language_of(sample.path) is language
    found = find_tests(sample.text, sample.path)
    assert tuple(" > ".join(test.title) for test in found) == sample.titles
    assert {mark for test in found for mark in test.marks} == set(sample.marks)
    if sample.assertions is not None:
        assert sum(len(test.assertions) for test in found) == sample.assertions
    assert len({test.id for test in found}) == len(found)


@pytest.mark.parametrize(("language", "sample"), TESTS, ids=_id)
def test_tests_are_poisoned(language: Language, sample: Sample) -> None:
    ids = [test.id for test in find_tests(sample.text, sample.path)]
    twin = poison(sample.text, sample.path, ids, TOKEN)
    for part in sample.poisoned:
        assert _filled(part) in twin.text
    assert {key.rsplit("::", 1)[-1] for key in twin.not_asked} == set(sample.not_poisoned)
    assert TOKEN not in twin.text
    assert len(find_tests(twin.text, sample.path)) == len(ids)


@pytest.mark.parametrize(("language", "sample"), TESTS, ids=_id)
def test_tests_are_shifted(language: Language, sample: Sample) -> None:
    ids = [test.id for test in find_tests(sample.text, sample.path)]
    twin = shift(sample.text, sample.path, ids, TOKEN)
    for part in sample.shifted:
        assert _filled(part) in twin.text
    assert {key.rsplit("::", 1)[-1] for key in twin.not_asked} == set(sample.not_shifted)


@pytest.mark.parametrize(("language", "sample"), TESTS, ids=_id)
def test_each_test_is_asked_alone(language: Language, sample: Sample) -> None:
    for test in find_tests(sample.text, sample.path):
        for ask in (poison, shift):
            twin = ask(sample.text, sample.path, [test.id], TOKEN)
            assert (test.id in twin.asked) != (test.id in twin.not_asked)
            assert (twin.text != sample.text) == (test.id in twin.asked)


@pytest.mark.parametrize(("language", "sample"), CODE, ids=_id)
def test_code_is_read_and_stubbed(language: Language, sample: CodeSample) -> None:
    functions = changed_functions("", sample.text, sample.path)
    assert tuple(function.key for function in functions) == sample.functions
    assert public_names(sample.text, sample.path) == set(sample.public)
    found = tuple(f"{i.module}: {' '.join(i.names)}".strip() for i in imports(sample.text, sample.path))
    assert found == sample.imports
    keys = [function.key for function in functions]
    for part in sample.raises:
        assert _filled(part) in stub(sample.text, sample.path, keys, TOKEN).text
    for part in sample.nothing:
        assert _filled(part) in stub(sample.text, sample.path, keys, TOKEN, "nothing").text
    assert changed_functions(sample.text, sample.text, sample.path) == ()


@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("tests/test_a.py", "def test_doubles():\n    assert {}\n"),
        ("a.test.js", 'test("doubles", () => {{ assert({}); }});\n'),
    ],
)
def test_a_condition_that_always_holds_is_not_negated(path: str, template: str) -> None:
    for held, negated in (("[double(2) == 4]", False), ("double(2)", True)):
        text = template.format(held)
        twin = shift(text, path, [test.id for test in find_tests(text, path)], TOKEN)
        assert twin.asked
        assert (twin.text != text) is negated
