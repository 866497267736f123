"""What past cycles say of an item that is being planned."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.model.plan import Item


def forecast(repository: OpenRepository, item: Item) -> list[str]:
    """A sentence for each file of the item whose changes were rejected more often than others; asked only
    where it names one."""
    paths = [path for path in (item.impl_file, item.test_file) if path]
    if not paths:
        return []
    from tdd_orchestrator.app.analytics import Analytics
    from tdd_orchestrator.history.metrics import forecast_for

    analytics = Analytics.of(repository)
    try:
        analytics.update()
        return forecast_for(analytics.index, paths)
    finally:
        analytics.close()
