"""What a page that is open hears of."""

from __future__ import annotations

import asyncio
import json

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


def test_records_of_another_clone_are_announced_to_who_follows(window: Window, kata: Kata) -> None:
    """They stand among the older ones, so that every number is a new one."""

    def note(ref: str, name: str) -> None:
        line = {"at": f"2026-01-0{name}", "id": name, "v": 1, "kind": "incident", "error": name}
        kata.git("notes", f"--ref={ref}", "append", "-m", json.dumps(line), "HEAD")

    async def follow() -> list[str]:
        feed = Feed([window.site])
        looking = asyncio.create_task(feed.run())
        events = feed.records(window.site, 0)
        note("tdd", "2")
        seen = [await anext(events), await anext(events)]
        note("theirs", "1")
        kata.git("notes", "--ref=tdd", "merge", "-q", "-s", "cat_sort_uniq", "refs/notes/theirs")
        seen.append(await asyncio.wait_for(anext(events), 10))
        note("tdd", "3")
        seen.append(await asyncio.wait_for(anext(events), 10))
        late = feed.records(window.site, _number(seen[1]))
        seen += [await anext(late), await anext(late)]
        looking.cancel()
        return seen

    _, second, rebuilt, third, _, late = asyncio.run(follow())
    assert "event: incident" in second
    assert "event: history_rebuilt" in rebuilt
    assert "event: incident" in third
    assert _number(second) < _number(rebuilt) < _number(third)
    assert "event: history_rebuilt" in late, "who was away meanwhile hears of it too"


def _number(event: str) -> int:
    return int(event.partition("\n")[0].removeprefix("id: "))
