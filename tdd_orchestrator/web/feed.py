"""Who waits for news: one task looks at the refs, everybody else waits for it. Server-sent events are made
here."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

from tdd_orchestrator.history import events
from tdd_orchestrator.web.site import Site

EVERY = 0.3  # seconds between two looks: two small files each
_BEAT = 15.0  # seconds without news after which a comment keeps the connection
Mark = tuple[int, int, str]
"""(place in the audit log, changes of jobs, the rest: plan, verdicts, problems): differs when there is something
to show."""


class Feed:
    """Marks of all sites; waiting costs nothing, however many wait."""

    def __init__(self, sites: Sequence[Site]) -> None:
        self._sites = sites
        self._marks: dict[str, Mark] = {}
        self._news = asyncio.Condition()
        self.closing = False

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            marks = {site.name: await asyncio.to_thread(_look, site) for site in self._sites}
            if marks != self._marks:
                async with self._news:
                    self._marks = marks
                    self._news.notify_all()
            await asyncio.sleep(EVERY)

    async def close(self) -> None:
        async with self._news:
            self.closing = True
            self._news.notify_all()

    async def changed(self, site: Site, seen: Mark | None) -> Mark | None:
        """The site's mark once it differs from ``seen``; None where nothing came for a while."""

        def ready() -> bool:
            return self.closing or self._marks.get(site.name, seen) != seen

        try:
            async with self._news:
                await asyncio.wait_for(self._news.wait_for(ready), _BEAT)
                return self._marks.get(site.name)
        except TimeoutError:
            return None

    async def pages(self, site: Site) -> AsyncIterator[str]:
        """``changed`` or ``job`` for a page that shows the site: it fetches itself what it shows."""
        mark = self._marks.get(site.name)
        yield "retry: 1000\n\n"
        while not self.closing:
            found = await self.changed(site, mark)
            if found is None:
                yield ": here\n\n"
                continue
            if mark is None or found[0] != mark[0] or found[2] != mark[2]:
                yield _message("changed", {"seq": found[0]})
            if mark is not None and found[1] != mark[1]:
                yield _message("job", {"changes": found[1]})
            mark = found

    async def records(self, site: Site, after: int) -> AsyncIterator[str]:
        """Every event after a place in the audit log, and then each as it comes."""
        mark = self._marks.get(site.name)
        yield "retry: 1000\n\n"
        while not self.closing:
            while found := await asyncio.to_thread(site.read, partial(events.following, site.index, after)):
                for event in found:
                    after = event["seq"]
                    yield _message(event["type"], event, after)
            fresh = await self.changed(site, mark)
            if fresh is None:
                yield ": here\n\n"
            mark = fresh or mark


def _look(site: Site) -> Mark:
    with site.lock:
        site.refresh()
        plan = site.analytics.tips()[1] if not site.trouble else ""
        return site.seq(), site.jobs.changes, " ".join((plan, site.verdicts.stamp, *site.problems))


def _message(name: str, data: dict[str, Any], number: int = 0) -> str:
    """One server-sent event; JSON has no line break of its own."""
    head = f"id: {number}\n" if number else ""
    return f"{head}event: {name}\ndata: {json.dumps(data)}\n\n"
