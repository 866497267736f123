"""Which of thousands of words stand in a text, without a search for each of them."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable

_CODES = {4: "I", 2: "H"}  # bytes of a chunk to the type of array that holds it as one number
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_Cut = tuple[str, list[int]]  # a word, and the chunks that follow on the first of one way to cut it


class Sieve:
    """A text is cut into chunks of four (and of two) bytes. A word of seven bytes holds a whole chunk wherever in the
    text it begins, so that the chunks that are there tell which few words are worth a search; of three bytes, one of two.
    Lines that differ in their digits only are read once.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._folded = {word: _folded(word) for word in words}
        self._tiny: list[str] = []
        self._begun: dict[int, dict[int, list[_Cut]]] = {size: defaultdict(list) for size in _CODES}
        for word, data in self._folded.items():
            size = next((size for size in _CODES if len(data) >= 2 * size - 1), 0)
            if not size:
                self._tiny.append(word)
            for start in range(size):
                first, *rest = _chunks(data[start:], size)
                self._begun[size][first].append((word, rest))

    def within(self, text: str) -> set[str]:
        """The words that the text holds. A word is looked for in one line."""
        shown = b"\n".join(set(_folded(text).split(b"\n")))
        maybe = set(self._tiny)
        for size, begun in self._begun.items():
            there = set(_chunks(shown, size))
            maybe.update(
                word
                for first in begun.keys() & there
                for word, rest in begun[first]
                if there.issuperset(rest)
            )
        return {
            word
            for word in maybe
            if self._folded[word] in shown and (_wordy(self._folded[word]) or word in text)
        }


def _folded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").translate(_DIGITS)


def _wordy(folded: bytes) -> bool:
    return b"0" not in folded


def _chunks(data: bytes, size: int) -> array[int]:
    return array(_CODES[size], data[: len(data) - len(data) % size])
