"""Which of thousands of words stand in a text, without a search for each of them."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable
from itertools import compress, count
from typing import NamedTuple

_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_CHUNKS = ((8, 4, "Q"), (4, 2, "I"))
"""How many bytes a chunk has, how many lie between two chunks' beginnings, and the type of array that holds
chunks."""
_SPOTS = 200  # places of one chunk that are looked at before a search through the whole text is cheaper
_LARGE = 8_000  # bytes of a text in which no word is looked for until somebody asks about it
_MARGIN = b"\n" * 8  # before a text: what would begin before it is compared with that, and is no word
_Spots = dict[int, list[int]]  # where a chunk stands


class _Cut(NamedTuple):
    """A word's bytes; its chunks, the first from its first byte on, the next from its second (none, where it
    is too short for them), and the row of _CHUNKS that they are of."""

    data: bytes
    chunks: tuple[int, ...] = ()
    row: int = 0


class WordFilter:
    """A text is cut into chunks of eight bytes, one from every fourth byte on. A word of eleven bytes holds
    one of them wherever in the text it begins, so that the chunks that are there tell which few words may be
    there, and where; of five bytes, one of four. Lines that differ in their digits only are read once.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._cuts = {word: _cut(_folded(word)) for word in words}
        self._short: dict[bytes, list[str]] = defaultdict(list)
        self._begun: list[dict[int, list[str]]] = [defaultdict(list) for _ in _CHUNKS]
        for word, cut in self._cuts.items():
            if not cut.chunks:
                self._short[cut.data].append(word)
            for chunk in cut.chunks:
                self._begun[cut.row][chunk].append(word)

    def over(self, text: str) -> FilteredWords:
        shown = _MARGIN + b"\n".join(set(_folded(text).split(b"\n")))
        spots = [_spots(shown, *row, begun) for row, begun in zip(_CHUNKS, self._begun, strict=True)]
        near = {
            word
            for data, words in self._short.items()
            if len(shown) > _LARGE or data in shown
            for word in words
        }
        for begun, there in zip(self._begun, spots, strict=True):
            near.update(*map(begun.__getitem__, there))
        return FilteredWords(text, shown, near, self._cuts, spots)


class FilteredWords:
    """A text, and the words of which a chunk stands in it. In a large one a word itself is looked for when
    somebody asks about it: of most nobody will."""

    def __init__(
        self, text: str, shown: bytes, near: set[str], cuts: dict[str, _Cut], spots: list[_Spots]
    ) -> None:
        self._text, self._shown, self._cuts, self._spots = text, shown, cuts, spots
        self._known: dict[bytes, bool] = {}
        self.near = near if len(shown) > _LARGE else {word for word in near if self._holds(word)}

    def those(self, words: Iterable[str]) -> list[str]:
        """Of these words those that the text holds. A word is looked for in one line."""
        return [word for word in words if word in self.near and self._holds(word)]

    def _holds(self, word: str) -> bool:
        cut = self._cuts[word]
        there = self._around(cut) if cut.chunks else self._known.get(cut.data)
        if there is None:
            there = self._known[cut.data] = cut.data in self._shown
        return there and (b"0" not in cut.data or word in self._text)

    def _around(self, cut: _Cut) -> bool:
        """Do the bytes stand around a spot of one of their chunks, or where those are many: anywhere?"""
        data, shown, spots = cut.data, self._shown, self._spots[cut.row]
        for start, chunk in enumerate(cut.chunks):
            there = spots.get(chunk, ())
            if len(there) > _SPOTS:
                return data in shown
            for spot in there:
                if shown.startswith(data, spot - start):
                    return True
        return False


def _cut(data: bytes) -> _Cut:
    for row, (size, step, code) in enumerate(_CHUNKS):
        if len(data) >= size + step - 1:
            chunks = (array(code, data[start : start + size])[0] for start in range(step))
            return _Cut(data, tuple(chunks), row)
    return _Cut(data)


def _spots(shown: bytes, size: int, step: int, code: str, begun: dict[int, list[str]]) -> _Spots:
    """Where in the text the chunks stand that words hold."""
    spots: _Spots = {}
    for shift in range(0, size, step):
        chunks = array(code, shown[shift : len(shown) - (len(shown) - shift) % size])
        for number in compress(count(), map(begun.__contains__, chunks)):
            spots.setdefault(chunks[number], []).append(number * size + shift)
    return spots


def _folded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").translate(_DIGITS)
