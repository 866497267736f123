"""The same as ``reliance_python`` for other languages: by the words of a test, less those of its language, of its
assertions, and of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from tdd_orchestrator.runners.reliance_words import ASSERTING, plain, words
from tdd_orchestrator.runners.source_rows import SourceRow
from tdd_orchestrator.runners.sources_text import block_ends, spans
from tdd_orchestrator.runners.sources_tokens import blanked

_WORD = re.compile(r"(?:(?<![\w.])(?<!->)(?<!::)|(?<=\.\.\.))[A-Za-z_]\w*")
_OF_SELF = re.compile(r"\b(?:this|self|static)(?:->|\.|::)(\w+)")
_NAME = re.compile(r"\w+")
_LOCAL = re.compile(
    r"\b(?:const|let|var|val|my|local|mut|auto|final|int|long|double|float|boolean|bool|char|[Ss]tring|size_t)\s+[$@%&*]?(\w+)"
    r"|(?<![\w.>])[$@%]?(\w+)\s*(?::=|=(?![=>~]))"
    r"|\bfor\b[^\n]{0,80}?[$@%]?\b(\w+)\s+(?:in|of)\b"
    r"|\b(\w++(?:\s*+,\s*+\w++){0,8})\)?\s*+=>"  # a group that is possessive and counted fails before Python 3.11.4
    r"|\A\s*\(([^()]{0,200})\)"  # parameters of a definition that is followed
)
_DEFINED = re.compile(
    r"^(?:export\s+|pub\s+|static\s+|async\s+|local\s+)*(?:function|def|func|fn|sub|const|let|var)\b\*?\s+(\w+)|^(\w+)\s*\(\)\s*\{",
    re.MULTILINE,
)
_INSERTED = re.compile(r"\$\{|#\{|\{\$|\$\(")  # code within a string
_PERL = words(".t .pl .pm")
_CALLED = re.compile(
    r"->\s*[\w$(]|&\s*[{$]|\*\{|\bdo\s*[\"'$]"
)  # Perl: by a name in a string, or another file
_VARIABLE = re.compile(r"[$@][\w{]")
_COMMANDS = words(".rb .pl .pm .t .php .ex .exs .lua")
"""Where backticks run something, if they are anything."""
_DEFINITIONS_LIMIT = 500  # beyond them a name counts as somebody else's
_SHELL = words(".bats .sh")


def text_idle(source: str, path: str, row: SourceRow) -> frozenset[str]:
    """Ids of the tests whose words are all their language's or their file's own. In doubt a test is not idle."""
    leaning = _Leaning(source, path, row)
    return frozenset(
        "::".join((path, *title))
        for found, end, title in spans(source, row)
        if not leaning.of(found.end(), end)
    )


class _Leaning:
    """One file: its code without comments and strings, and where it defines names of its own."""

    def __init__(self, source: str, path: str, row: SourceRow) -> None:
        suffix = path[path.rfind(".") :]
        self._source = source
        self._code = source if suffix in _SHELL else blanked(source, row.comment)
        self._commands = suffix in _COMMANDS
        self._plain = plain(suffix)
        self._perl = suffix in _PERL
        heads = list(islice(_DEFINED.finditer(self._code), _DEFINITIONS_LIMIT))
        ends = block_ends(self._code, [head.start() for head in heads], row)
        self._own = {
            head[1] or head[2]: (head.end(1 if head[1] else 2), end)
            for head, end in zip(heads, ends, strict=True)
        }

    def of(self, begin: int, end: int) -> bool:
        """Whether the text from ``begin`` to ``end`` leads out of the file, itself or by what it uses of its own."""
        open_, seen = [(begin, end)], set[str]()
        while open_:
            for word in self._foreign(*open_.pop()):
                if word not in self._own:
                    return True
                if word not in seen:
                    seen.add(word)
                    open_.append(self._own[word])
        return False

    def _foreign(self, begin: int, end: int) -> Iterator[str]:
        """Words of a piece of text that are neither its language's nor set in it; one at least where that cannot be told."""
        said, code = self._source[begin:end], self._code[begin:end]
        if (
            _INSERTED.search(said)
            or (self._commands and "`" in said)
            or (self._perl and _perl_reaches(said, code))
        ):
            yield ""
        yield from (word for word in _OF_SELF.findall(code) if not ASSERTING.match(word))
        local = {word for groups in _LOCAL.findall(code) for word in _NAME.findall(" ".join(groups))}
        for found in _WORD.finditer(code):
            word = found[0]
            variable = (
                self._perl and word != "_" and code[found.start() - 1 : found.start()] in ("$", "@", "%")
            )
            known = word in self._plain or ASSERTING.match(word)
            if word not in local and word != "_" and (variable or not known):
                yield word


def _perl_reaches(said: str, code: str) -> bool:
    """Whether Perl calls what only a string names, or a string has a variable in it."""
    within = (code[found.start()].isspace() for found in _VARIABLE.finditer(said))
    return bool(_CALLED.search(said)) or any(within)
