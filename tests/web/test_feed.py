"""What a page that is open hears of."""

from __future__ import annotations

import asyncio

from kit import Kata

from tdd_orchestrator.web.feed import Feed

from .conftest import Window


def test_a_line_that_cannot_be_read_shows_on_a_page_that_is_open(window: Window, kata: Kata) -> None:
    """It is no record, so the audit log is as long as before."""
    kata.plan()

    async def follow() -> list[str]:
        feed = Feed([window.site])
        looking = asyncio.create_task(feed.run())
        events = feed.pages(window.site)
        seen = [await anext(events), await anext(events)]
        await asyncio.to_thread(kata.git, "notes", "--ref=tdd", "append", "-m", "{broken", "HEAD")
        seen.append(await asyncio.wait_for(anext(events), 10))
        looking.cancel()
        return [one.partition("\n")[0] for one in seen]

    assert asyncio.run(follow()) == ["retry: 1000", "event: changed", "event: changed"]
    assert "has a line that cannot be read" in window.page()
