"""What a tool call of ``tdd mcp`` does now, as progress notifications to the client that asked for them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar
from itertools import count
from typing import Any

from tdd_orchestrator.cli.watch import TerminalWatcher
from tdd_orchestrator.text import one_line

_AGAIN = 10.0  # seconds of silence after which the newest sentence is sent once more, as a sign of life
_tell: ContextVar[Callable[[str], None]] = ContextVar("tell")


class CallWatcher(TerminalWatcher):
    """Hands what runs now to the call that it runs for; the screen stays silent."""

    def __init__(self) -> None:
        super().__init__(quiet=True)

    def doing(self, what: str) -> None:
        _tell.get()(one_line(what, 160))


async def notify_progress(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """Answer the request; as long as a tool works, tell the client what it does. Tools work in threads."""
    if ctx.method != "tools/call":
        return await call_next(ctx)
    loop, said = asyncio.get_running_loop(), asyncio.Queue[str]()

    def tell(text: str) -> None:
        loop.call_soon_threadsafe(said.put_nowait, text)

    _tell.set(tell)
    teller = asyncio.create_task(_repeat(ctx.session, said))
    try:
        return await call_next(ctx)
    finally:
        teller.cancel()
        await asyncio.gather(teller, return_exceptions=True)


async def _repeat(session: Any, said: asyncio.Queue[str]) -> None:
    text = "at work"
    for step in count(1):
        with suppress(TimeoutError):
            text = await asyncio.wait_for(said.get(), _AGAIN)
        await session.report_progress(step, message=text)
