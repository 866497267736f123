"""What users read is written in plain technical English: no word of the project's former private language."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tdd_orchestrator"
OLD = re.compile(
    r"\b(?:witness\w*|testimon\w+|heard|spoken|workshop|sentry|vigil|mend(?:s|ed|ing)?|heal(?:s|ed|ing)?"
    r"|cur(?:e|es|ed|ing)|stragglers?|whoever|in vain|not to be had|hollow|giver|enrichment|tells? of)\b"
    r"|(?<!/)\bshop\b(?!/)|(?<!')\bdesk\b|\bthe (?:trail|ledger|forge|door)\b",
    re.IGNORECASE,
)
CODE = re.compile(r"`[^`]*`|\([^)]*\.md[^)]*\)|\{[{%].*?[%}]\}|\S+ --> \S+|^### \w+$")
SHOP = re.compile(r"\bshop\b", re.IGNORECASE)
SAMPLES = ("diagnosis", "runners")  # rules and rows carry printed samples, many of a project called shop
PARTS = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists())
DOCS = sorted((ROOT / "docs").glob("*.md"))
PROMPTS = sorted((ROOT / "prompts").rglob("*.md"))


def _docstrings(tree: ast.AST) -> set[int]:
    """Return the ids of the strings that document code. The docstring of a command is none: its help prints it."""
    found = set()
    for node in ast.walk(tree):
        commands = [ast.unparse(one) for one in getattr(node, "decorator_list", ())]
        if not any(re.search(r"\.(command|group)\(", one) for one in commands):
            body = getattr(node, "body", None)
            found |= {
                id(one.value) for one in (body if isinstance(body, list) else ()) if isinstance(one, ast.Expr)
            }
    return found


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each string with a space in it: what may be a sentence. Code's own docstrings are none."""
    tree = ast.parse(text)
    docstrings = _docstrings(tree)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
            and " " in node.value
        ):
            yield node.lineno, node.value


def test_sentences_are_found() -> None:
    text = '"""The shop."""\nx = "a b"\ny = f"whoever {x} here"\n@click.command()\ndef f():\n    """Mend it."""\n'
    assert [sentence for _, sentence in sentences(text)] == ["a b", "whoever ", " here", "Mend it."]
    assert OLD.search("The shop is open")
    assert not OLD.search("trailing, shop/cart.py, the curve, telling")


@pytest.mark.parametrize("part", PARTS)
def test_the_product_speaks_plainly(part: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {' '.join(sentence.split())}"
        for path in sorted((PACKAGE / part).rglob("*.py"))
        for line, sentence in sentences(path.read_text(encoding="utf-8"))
        if OLD.search(SHOP.sub("", sentence) if part in SAMPLES else sentence)
    ]
    assert found == []


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", *DOCS, *PROMPTS], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_documents_and_prompts_speak_plainly(path: Path) -> None:
    found = [
        f"{number}: {line.strip()}"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if OLD.search(CODE.sub("", line))
    ]
    assert found == []


NAMES = frozenset(
    [
        "told",
        "heard",
        "hear",
        "spoken",
        "saying",
        "telling",
        "tells",
        "begun",
        "whoever",
        "nobody",
        "witness",
        "witnesses",
        "testimony",
        "sentry",
        "vigil",
        "thinner",
        "calm",
        "mute",
        "digest",
        "hollow",
        "vain",
        "heal",
        "healed",
        "mend",
        "mended",
        "cured",
    ]
)
STORED = frozenset(
    {
        "begun",
        "begun_by_hand",
        "compare_digest",
        "cured_by",
        "digest",
        "_digest",
        "hexdigest",
        "parsed_digest",
    }
)
"""Names of hashlib's, and of what records and the plan store."""
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def names(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each identifier of a source."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], token.string


def is_old(name: str) -> bool:
    """Whether a part of an identifier is a word of the former private language."""
    return name not in STORED and any(part.lower() in NAMES for part in PART.findall(name))


def test_old_names_are_found() -> None:
    assert [name for _, name in names("def _hear(self, told): Thinner(x).calm = 'told'") if is_old(name)] == [
        "_hear",
        "told",
        "Thinner",
        "calm",
    ]
    assert not any(map(is_old, ("heartbeat", "shear", "retold_as", "totals", "hexdigest")))


@pytest.mark.parametrize("part", PARTS)
def test_identifiers_are_plain(part: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted((PACKAGE / part).rglob("*.py"))
        for line, name in names(path.read_text(encoding="utf-8"))
        if is_old(name)
    ]
    assert found == []
