"""Find which of thousands of words a text contains, without a search for each."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable
from itertools import compress, count
from typing import NamedTuple

_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_CHUNKS = ((8, 4, "Q"), (4, 2, "I"))
"""A chunk's size in bytes, the distance between two chunks' starts, and the array type for chunks."""
_SPOTS = 200  # places of one chunk; with more, a search of the whole text is cheaper
_LARGE = 8_000  # bytes; in a larger text words are searched on demand
_MARGIN = b"\n" * 8  # before a text, so that no comparison starts before it
_Spots = dict[int, list[int]]  # chunk: its positions


class _Cut(NamedTuple):
    """A word's bytes, its chunks (of its first byte on, of its second on ...), and their row of
    _CHUNKS.

    A word that is too short has no chunks.
    """

    data: bytes
    chunks: tuple[int, ...] = ()
    row: int = 0


class WordFilter:
    """Finds words by chunks of the text: of eight bytes, starting at every fourth byte.

    A word of eleven bytes contains one of them wherever it stands, so the chunks show which few words
    may be there, and where; a word of five bytes contains one of four. Lines that differ only in their
    digits are read once.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._cuts = {word: _cut(_folded(word)) for word in words}
        self._short: dict[bytes, list[str]] = defaultdict(list)
        self._by_chunk: list[dict[int, list[str]]] = [defaultdict(list) for _ in _CHUNKS]
        for word, cut in self._cuts.items():
            if not cut.chunks:
                self._short[cut.data].append(word)
            for chunk in cut.chunks:
                self._by_chunk[cut.row][chunk].append(word)

    def over(self, text: str) -> FilteredWords:
        folded_text = _MARGIN + b"\n".join(set(_folded(text).split(b"\n")))
        spots = [
            _spots(folded_text, *row, by_chunk) for row, by_chunk in zip(_CHUNKS, self._by_chunk, strict=True)
        ]
        near = {
            word
            for data, words in self._short.items()
            if len(folded_text) > _LARGE or data in folded_text
            for word in words
        }
        for by_chunk, there in zip(self._by_chunk, spots, strict=True):
            near.update(*map(by_chunk.__getitem__, there))
        return FilteredWords(text, folded_text, near, self._cuts, spots)


class FilteredWords:
    """A text, and the words of which it contains a chunk.

    In a large text a word itself is searched on demand, since most are never needed.
    """

    def __init__(
        self, text: str, folded_text: bytes, near: set[str], cuts: dict[str, _Cut], spots: list[_Spots]
    ) -> None:
        self._text, self._folded_text, self._cuts, self._spots = text, folded_text, cuts, spots
        self._known: dict[bytes, bool] = {}
        self.near = near if len(folded_text) > _LARGE else {word for word in near if self._holds(word)}

    def those(self, words: Iterable[str]) -> list[str]:
        """Return those of ``words`` that the text contains."""
        return [word for word in words if word in self.near and self._holds(word)]

    def _holds(self, word: str) -> bool:
        cut = self._cuts[word]
        there = self._around(cut) if cut.chunks else self._known.get(cut.data)
        if there is None:
            there = self._known[cut.data] = cut.data in self._folded_text
        return there and (b"0" not in cut.data or word in self._text)

    def _around(self, cut: _Cut) -> bool:
        """Whether the bytes stand at a spot of one of their chunks, or anywhere if there are many spots."""
        data, folded_text, spots = cut.data, self._folded_text, self._spots[cut.row]
        for start, chunk in enumerate(cut.chunks):
            there = spots.get(chunk, ())
            if len(there) > _SPOTS:
                return data in folded_text
            for spot in there:
                if folded_text.startswith(data, spot - start):
                    return True
        return False


def _cut(data: bytes) -> _Cut:
    for row, (size, step, code) in enumerate(_CHUNKS):
        if len(data) >= size + step - 1:
            chunks = (array(code, data[start : start + size])[0] for start in range(step))
            return _Cut(data, tuple(chunks), row)
    return _Cut(data)


def _spots(folded_text: bytes, size: int, step: int, code: str, by_chunk: dict[int, list[str]]) -> _Spots:
    """Return the positions of the chunks that words contain."""
    spots: _Spots = {}
    for shift in range(0, size, step):
        chunks = array(code, folded_text[shift : len(folded_text) - (len(folded_text) - shift) % size])
        for number in compress(count(), map(by_chunk.__contains__, chunks)):
            spots.setdefault(chunks[number], []).append(number * size + shift)
    return spots


def _folded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").translate(_DIGITS)
