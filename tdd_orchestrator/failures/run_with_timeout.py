"""A call that must not delay the cycle: finished within some seconds, or abandoned."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """The call's value or its exception; TimeoutError after ``seconds``, however slowly the other side drips.

    A call that is given up ends with its own time limits, in a thread that does not keep the program alive.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001  handed to the caller, who waits for it
            errors.append(error)

    thread = threading.Thread(target=body, daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return results[0]
