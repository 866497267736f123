"""Which of thousands of words stand in a text, without a search for each of them."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable
from itertools import compress, count

_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_CHUNKS = ((8, 4, "Q"), (4, 2, "I"))
"""How many bytes a chunk has, how many lie between two chunks' beginnings, and the type of array that holds chunks."""
_SPOTS = 40  # places of one chunk that are looked at before a search through the whole text is cheaper
_MARGIN = b"\n" * 8  # before a text: what would begin before it is compared with that, and is no word
_Cut = tuple[str, bytes, int]  # a word, its bytes, and how many of them stand before the chunk


class Sieve:
    """A text is cut into chunks of eight bytes, one from every fourth byte on. A word of eleven bytes holds one of them
    wherever in the text it begins, so that the chunks that are there tell which few words may be there, and where; of five
    bytes, one of four. Lines that differ in their digits only are read once.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._tiny: dict[bytes, list[str]] = defaultdict(list)
        self._begun: list[dict[int, list[_Cut]]] = [defaultdict(list) for _ in _CHUNKS]
        for word in set(words):
            self._add(word, _folded(word))

    def _add(self, word: str, data: bytes) -> None:
        for (size, step, code), begun in zip(_CHUNKS, self._begun, strict=True):
            if len(data) >= size + step - 1:
                for start in range(step):
                    begun[array(code, data[start : start + size])[0]].append((word, data, start))
                return
        self._tiny[data].append(word)

    def within(self, text: str) -> set[str]:
        """The words that the text holds. A word is looked for in one line."""
        shown = _MARGIN + b"\n".join(set(_folded(text).split(b"\n")))
        found = {word: data for data, words in self._tiny.items() if data in shown for word in words}
        for (size, step, code), begun in zip(_CHUNKS, self._begun, strict=True):
            for chunk, spots in _spots(shown, size, step, code, begun).items():
                for word, data, start in begun[chunk]:
                    if word not in found and _stands(data, start, spots, shown):
                        found[word] = data
        return {word for word, data in found.items() if b"0" not in data or word in text}


def _spots(
    shown: bytes, size: int, step: int, code: str, begun: dict[int, list[_Cut]]
) -> dict[int, list[int]]:
    """Where in the text the chunks stand that words hold."""
    spots: dict[int, list[int]] = {}
    for shift in range(0, size, step):
        chunks = array(code, shown[shift : len(shown) - (len(shown) - shift) % size])
        for number in compress(count(), map(begun.__contains__, chunks)):
            spots.setdefault(chunks[number], []).append(number * size + shift)
    return spots


def _stands(data: bytes, start: int, spots: list[int], shown: bytes) -> bool:
    """Do the bytes stand ``start`` before one of the spots, or where those are many: anywhere?"""
    if len(spots) > _SPOTS:
        return data in shown
    for spot in spots:  # noqa: SIM110
        if shown.startswith(data, spot - start):
            return True
    return False


def _folded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").translate(_DIGITS)
