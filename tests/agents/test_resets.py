"""When a limit ends, as clients say it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tdd_orchestrator.agents.parsed_output import reset_seconds

NOW = datetime(2025, 11, 23, 14, 0, 0, tzinfo=UTC)  # a Sunday
HOUR = 3600.0
DAY = 24 * HOUR


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Claude AI usage limit reached|1763910000", 1763910000 - NOW.timestamp()),
        ("You've hit your session limit · resets 3pm (UTC)", HOUR),
        ("5-hour limit reached ∙ resets 3:30pm", 1.5 * HOUR),
        ("5-hour limit reached ∙ resets 1pm", 23 * HOUR),
        ("You've hit your limit · resets Nov 25, 9am (UTC)", DAY + 19 * HOUR),
        ("You've hit your weekly limit · resets Mon 9am (UTC)", 19 * HOUR),
        ("You've hit your session limit · resets 4pm (Europe/Berlin)", HOUR),
        ("You've hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours 5 minutes.", 3 * DAY + 4 * HOUR + 300),
        ("You've hit your usage limit. Try again at 3:05 PM.", HOUR + 300),
        ("or try again at Nov 24th, 2025 3:05 PM.", DAY + HOUR + 300),
        ("Your quota will reset after 12h3m4s.", 12 * HOUR + 184),
        ("Please try again in 54 minutes", 54 * 60.0),
        ("Please retry in 12h3m4.5s.", 12 * HOUR + 184.5),
        ('{"resets_in_seconds": 9000}', 9000.0),
        ('{"resets_at":1763910000}', 1763910000 - NOW.timestamp()),
        ("Please try again in 20s.", 20.0),
        ("try again in 1.5s", 1.5),
        ("Retry-After: 30", 30.0),
        ('"retryDelay": "41s"', 41.0),
        ("retry-after-ms: 1500", 1.5),
        ("Try again later. Run 3 tests again.", 0.0),
        ("resets 99:99pm", 0.0),
        ("It resets the counter at 7.", 0.0),
        ("resets Feb 31, 9am", 0.0),
    ],
)  # fmt: skip
def test_the_time_until_a_limit_ends(words: str, seconds: float) -> None:
    assert reset_seconds(words, NOW) == seconds


def test_a_clock_without_a_zone_is_the_users() -> None:
    here = NOW.astimezone(timezone(timedelta(hours=2)))  # 16:00 there
    assert reset_seconds("resets 5pm", here) == HOUR
