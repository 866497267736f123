"""The numbers that test points have had, in stretches: as small for a million points in order as for one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Numbers:
    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []  # of the same stretches, which neither overlap nor touch, in order

    def add(self, first: int, last: int) -> int:
        """How many of the numbers from ``first`` to ``last`` are new."""
        if self._ends and first == self._ends[-1] + 1:  # as it mostly is
            self._ends[-1] = last
            return last - first + 1
        low, high = bisect_left(self._ends, first - 1), bisect_right(self._starts, last + 1)
        starts, ends = self._starts[low:high], self._ends[low:high]
        known = sum(
            max(0, min(end, last) - max(start, first) + 1) for start, end in zip(starts, ends, strict=True)
        )
        self._starts[low:high] = [min([first, *starts])]
        self._ends[low:high] = [max([last, *ends])]
        return last - first + 1 - known
