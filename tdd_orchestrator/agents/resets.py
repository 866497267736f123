"""When a provider's limit ends: read from the client's own sentence, as seconds from now."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_UNITS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}
_PART = (
    r"\d{1,6}(?:\.\d{1,6})? ?(?:days?|d|hours?|hrs?|h|minutes?|mins?|min|m(?!s)|seconds?|secs?"
    r"|s)\b,?(?: and)? ?"
)
_PARTS = re.compile(r"(\d{1,6}(?:\.\d{1,6})?) ?([dhms])")
_HEADERS = (
    (re.compile(r"(?i)retry[-_ ]?after[-_ ]?ms[\"':= ]+(\d{1,9})"), 0.001),
    (re.compile(r"(?i)retry[-_ ]?after[\"':= ]+(\d{1,7}(?:\.\d{1,6})?)(?! ?ms)"), 1.0),
    (re.compile(r"(?i)resets?_in_seconds[\"':= ]+(\d{1,8})"), 1.0),
)
_LENGTH = re.compile(
    (
        r"(?i)(?:(?:try|retry|available) (?:again )?|resets? |retryDelay[\"':= ]+|reset )(?:in "
        rf"|after )?((?:{_PART}){{1,4}})"
    ).replace(r"\b,?", r",?")
)
_EPOCH = re.compile(r"(?i)(?:limit reached\||resets?_at[\"':= ]+)(\d{10})\b")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_AT = re.compile(
    r"(?i)(?:resets?|try again|available again) (?:at |on )?"
    r"(?:(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]*,? (?:at )?)?"
    r"(?:(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (?P<day>\d{1,2})(?:st|nd"
    r"|rd|th)?,? (?:(?P<year>20\d\d),? )?(?:at )?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::\d\d)?)? ?(?P<half>[ap]\.?m\b\.?)?(?: ?\("
    r"(?P<zone>[\w/+-]{1,40})\))?"
)


def reset_seconds(words: str, now: datetime) -> float:
    """Seconds until the limit ends, as ``words`` say it; 0 where they say nothing. ``now`` is aware: its zone
    is the user's."""
    words = words[:200_000]
    for pattern, unit in _HEADERS:
        if hit := pattern.search(words):
            return float(hit[1]) * unit
    if hit := _EPOCH.search(words):
        return max(0.0, float(hit[1]) - now.timestamp())
    if hit := _LENGTH.search(words):
        return sum(float(number) * _UNITS[unit.lower()] for number, unit in _PARTS.findall(hit[1].lower()))
    hit = _AT.search(words)
    return _until_clock(hit, now) if hit and (hit["half"] or hit["minute"]) else 0.0


def _until_clock(hit: re.Match[str], now: datetime) -> float:
    zone = _zone(hit["zone"], now)
    here = now.astimezone(zone)
    hour = int(hit["hour"])
    if hit["half"]:
        hour = hour % 12 + (12 if hit["half"].lower().startswith("p") else 0)
    try:
        at = here.replace(hour=hour, minute=int(hit["minute"] or 0), second=0, microsecond=0)
        if hit["month"]:
            month = _MONTHS.index(hit["month"].lower()) + 1
            at = at.replace(year=int(hit["year"] or at.year), month=month, day=int(hit["day"]))
            if at <= here and not hit["year"]:
                at = at.replace(year=at.year + 1)
    except ValueError:
        return 0.0
    if hit["weekday"] and not hit["month"]:
        ahead = (_DAYS.index(hit["weekday"].lower()) - here.weekday()) % 7
        at += timedelta(days=ahead)
        at += timedelta(days=7 if at <= here else 0)
    elif not hit["month"] and at <= here:
        at += timedelta(days=1)
    return max(0.0, (at - here).total_seconds())


def _zone(name: str | None, now: datetime) -> tzinfo:
    if name:
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError):
            pass
    return now.tzinfo or UTC
