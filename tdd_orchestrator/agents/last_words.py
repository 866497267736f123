"""Last words of an agent that brought nothing: recognized by rows, each with its samples and with what
follows (A9).

They are read only where an attempt left no work: what an agent did is proven, whatever it says of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tdd_orchestrator.agents.agent import Fault, Reply
from tdd_orchestrator.text import plain

LENGTH = 500
"""Characters of the last words that are kept and shown."""
_OPENING = 150  # of them, from the beginning of a long answer


class MessageKind(StrEnum):
    """The kind of an agent's last words; ``""`` where no row recognizes them."""

    NOTHING = ""
    REFUSAL = "refusal"
    MISSING_PACKAGE = "missing_package"
    ALREADY_THERE = "already_there"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Row:
    """One kind. ``answer`` goes into the next prompt, once; ``person`` tells a person what to do, also at
    once where there is no answer, and ``fixing`` where ``tdd fix`` gave up and no item is being built.
    ``unlike`` are texts that the row must not take."""

    said: MessageKind
    pattern: re.Pattern[str]
    means: str  # completes "the agent ..."
    person: str
    fixing: str
    answer: str = ""
    answer_in: Mapping[str, str] = field(default_factory=dict)  # phase -> what the answer adds there
    samples: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()


_REFUSAL = re.compile(
    r"(?i)\bI(?:['’]m| am)? ?(?:sorry,? (?:but )?I )?(?:can['’]?t|can ?not|won['’]t|will not"
    "|am not able to|unable to|must decline to"
    "|have to decline to|decline to|not able to) (?:help|assist|comply|engage|fulfil+|provide"
    "|continue|proceed|support)"
    r"(?: you| me)?(?: (?:with|in|to|on)\b|[.!]|$)"
    r"|\b(?:violates?|against|prohibited by) (?:\w+ ){0,3}(?:usage|content|acceptable use"
    "|safety) polic(?:y|ies)"
)
_PACKAGE = re.compile(
    "(?i)(?:No module named|Cannot find (?:module|package)"
    r"|no required module provides package) ['\"`]?(?P<error>[@\w][\w@./-]*)"
    r"|(?:package|library|dependency|gem|crate|module)s?:? ['\"`]?"
    r"(?P<before>[@\w][\w@./-]*)['\"`]? (?:is|are|was|were|isn['’]t)"
    " ?(?:currently |still )?(?:not (?:be )?(?:installed|available|found)|missing|unavailable"
    "|installed|available)"
    r"|['\"`](?P<quoted>[@\w][\w@./-]*)['\"`](?: (?:package|library|dependency|gem|crate|module))?"
    r" (?:is|was|isn['’]t) ?(?:not )?(?:installed|missing)"
    r"|missing (?:package|library|dependency|gem|crate|module):? ['\"`]?(?P<after>[@\w][\w@./-]*)"
)
_THERE = re.compile(
    r"(?i)\balready (?:been )?(?:fully )?(?:implemented|exists?|there|covered|present|in place"
    "|works?|supported|passes|pass|handled"
    r"|tested|satisfied|done|does (?:this|that|so))\b"
    r"|\b(?:no|nothing|any) (?:further |more |code )?(?:changes? )?(?:(?:are|is|was"
    r"|were) )?(?:needed|necessary|required|to (?:do|change|implement))\b"
)
_ASKS = re.compile(
    r"(?i)\?[\s\"'”’*_)`]*$|\b(?:please|could you|can you) (?:clarify|confirm|specify|tell me"
    "|let me know (?:which|what|how|whether|if you"
    r" (?:want|prefer)))\b|\blet me know (?:which|what|how|whether)\b|\b(?:should I|do you want"
    r"|which (?:one )?(?:do you|would you|of))\b"
)

ROWS: tuple[Row, ...] = (
    # the most telling first: "package X is missing, shall I install it?" is no question
    Row(
        MessageKind.REFUSAL,
        _REFUSAL,
        means="refuses the task",
        person=(
            "Say the item in other words (tdd plan edit), name another agent in tdd.toml, or write "
            "this step yourself."
        ),
        fixing="Name another agent in tdd.toml, or fix the failure yourself.",
        samples=(
            "I'm sorry, but I can't help with that request.",
            "I'm sorry, I cannot assist with that.",
            "I can’t help you with creating this, as it could be misused.",
            "I won't assist in writing this code.",
            "I'm unable to comply.",
            "This request violates our usage policy.",
            "API Error: Claude Code is unable to respond to this request, which appears to violate "
            "our Usage Policy "
            "(https://www.anthropic.com/legal/aup).",
        ),
        unlike=(
            "I can't help but notice that the tests are slow.",
            "I could not run the tests. I cannot do this. All tests pass now.",
            "The function cannot provide a default.",
        ),
    ),
    Row(
        MessageKind.MISSING_PACKAGE,
        _PACKAGE,
        means="lacks a package",
        person="Check the name, then install and declare the package: {command}",
        fixing="Check the name, then install and declare the package: {command}",
        samples=(
            "I could not run the tests because the package freezegun is not installed.",
            "The `hypothesis` library is missing in this environment.",
            "ModuleNotFoundError: No module named 'requests'. Please install it and run me again.",
            "Error: Cannot find module 'left-pad'",
            "Missing dependency: @testing-library/react",
            "`pytest-asyncio` is not installed here.",
        ),
        unlike=("The module is fine. I changed nothing.", "Tests are missing for the empty case."),
    ),
    Row(
        MessageKind.ALREADY_THERE,
        _THERE,
        means="says that the behavior is there already",
        person="Look whether it is: close the item (tdd plan edit), or say in its text what is missing.",
        fixing="Look whether the test or the code is wrong, and correct that one yourself.",
        answer="Your last answer was that this is there already, and nothing was changed.",
        answer_in={
            "RED": "Write the test all the same: if it passes, the item is recorded as covered.",
            "GREEN": (
                "The tests above fail on the files as they are, so something is missing: find it and add it."
            ),
        },
        samples=(
            "The function double is already implemented in double.py, so there is nothing to do.",
            "This behaviour already exists and is covered by test_greets.",
            "Everything already works as described; no changes are needed.",
            "No changes needed.",
        ),
        unlike=(
            "I wrote the test and the code.",
            "I have already read the file and will now write the test.",
        ),
    ),
    Row(
        MessageKind.QUESTION,
        _ASKS,
        means="asks a question",
        person="Answer it in the item's text (tdd plan edit), or with: tdd cycle resume --hint '...'",
        fixing="Settle it by fixing the failure yourself, or name another agent in tdd.toml.",
        answer=(
            "Your last answer was a question. Nobody answers questions: take the simplest reading "
            "of the text, do the work, "
            "and say at the end which reading you took."
        ),
        samples=(
            "Which do you mean: should double(None) raise or return None?",
            "Should I use integers or floats?",
            "Before I go on, please clarify whether negative numbers count.",
            "Let me know which of the two you prefer.",
        ),
        unlike=(
            "Done. Let me know if you need anything else.",
            "I asked git which files changed, and wrote the test.",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class LastWords:
    """The recognized kind, the words, and the package that they name (``""`` where none)."""

    said: MessageKind = MessageKind.NOTHING
    text: str = ""
    package: str = ""

    @property
    def row(self) -> Row | None:
        return next((row for row in ROWS if row.said is self.said), None)


def answer_to(words: LastWords, phase: str) -> str:
    """Return the next prompt's answer to recognized last words; ``""`` where a person is asked at once."""
    row = words.row
    return f"{row.answer} {row.answer_in.get(phase, '')}".strip() if row and row.answer else ""


def last_words(text: str) -> str:
    """The end of an agent's final answer, without empty lines. A long one keeps its beginning too, where a
    refusal or a question stands before its reasons: ``LENGTH`` characters in all."""
    whole = "\n".join(line.rstrip() for line in plain(text).splitlines() if line.strip())
    return whole if len(whole) <= LENGTH else f"{whole[:_OPENING]}…{whole[_OPENING + 1 - LENGTH :]}"


def words_of(reply: Reply) -> LastWords:
    """The recognized last words of an agent that left no work, or whose model refused by its policy."""
    if reply.fault is Fault.REFUSED:
        return LastWords(MessageKind.REFUSAL, last_words(reply.error or reply.text))
    return recognize(reply.text)


def recognize(text: str) -> LastWords:
    """The kind of the last words, by the first row that fits."""
    words = last_words(text)
    folded = " ".join(words.split())
    for row in ROWS:
        hit = row.pattern.search(folded)
        if hit:
            package = next((found for found in hit.groupdict().values() if found), "").rstrip(".")
            return LastWords(row.said, words, package)
    return LastWords(text=words)


INSTALL = {
    "python": "python -m pip install {package}",
    "javascript": "npm install --save-dev {package}",
    "typescript": "npm install --save-dev {package}",
    "ruby": "bundle add {package}",
    "rust": "cargo add {package}",
    "go": "go get {package}",
    "php": "composer require {package}",
    "csharp": "dotnet add package {package}",
}
"""How a package is installed, by the language of the suite."""


def install_command(language: str, package: str) -> str:
    """The command that installs ``package``; words where the language has no such row or no package is
    named."""
    row = INSTALL.get(language.lower())
    return row.format(package=package) if row and package else f"install {package or 'what it names'}"


def for_a_person(words: LastWords, language: str, *, fixing: bool = False) -> str:
    """Return a sentence on what a person has to do about recognized last words; ``""`` where there is
    none."""
    row = words.row
    if row is None:
        return ""
    todo = row.fixing if fixing else row.person
    return todo.replace("{command}", install_command(language, words.package))
