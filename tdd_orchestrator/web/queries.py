"""What both the API and the pages ask of the index: lists with a filter, bounded."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from tdd_orchestrator.audit.verdicts import Checked
from tdd_orchestrator.history.board import Card
from tdd_orchestrator.history.cycles import Attempt
from tdd_orchestrator.history.index import Index
from tdd_orchestrator.history.metrics import Numbers
from tdd_orchestrator.model.phase import COMMITTED
from tdd_orchestrator.model.plan import Item

STATES = ("verified", "not proven", "not checked")
"""What is known of a commit: by `tdd verify`, on this machine."""


def cycles(index: Index, limit: int, offset: int) -> list[dict[str, Any]]:
    """Newest first."""
    sql = """
        SELECT cycles.*, coalesce(asks, 0) AS asks FROM cycles LEFT JOIN item_states
            ON item_states.item_id = cycles.item_id AND item_states.cycle_id = cycles.cycle_id
        ORDER BY started DESC, cycles.cycle_id DESC LIMIT :limit OFFSET :offset"""
    return index.select(sql, {"limit": limit, "offset": offset})


_SEARCHED = " OR ".join(
    rf"{column} LIKE :like ESCAPE '\'" for column in ("item", "message", "error_id", "agent", "verdict")
)
_WHERE = f"""
WHERE (:kind = '' OR kind = :kind) AND (:cycle = '' OR cycle_id = :cycle)
    AND (:q = '' OR {_SEARCHED} OR substr(on_commit, 1, length(:q)) = :q OR id = :q)
"""
_FOUND = f"FROM records INDEXED BY records_in_order {_WHERE}"
"""In their order, so that a page of the newest ones is not sorted out of all."""


def records(
    index: Index, *, q: str = "", kind: str = "", cycle: str = "", limit: int = 100, offset: int = 0
) -> tuple[list[dict[str, Any]], int]:
    """The rows of one page, newest first, and how many there are in all."""
    values = {"q": q, "like": _like(q), "kind": kind, "cycle": cycle, "limit": limit, "offset": offset}
    total = index.one(f"SELECT count(*) AS n FROM records {_WHERE}", values)["n"]
    return index.select(f"SELECT * {_FOUND} ORDER BY seq DESC LIMIT :limit OFFSET :offset", values), total


_COMMITTED = ", ".join(f"'{verdict}'" for verdict in sorted(COMMITTED))
_OWN = f"""
    (kind = 'fix' AND status = 'accepted' OR kind = 'handoff' AND verdict IN ({_COMMITTED})
        AND phase IN ('RED', 'GREEN', 'REFACTOR'))"""
_COMMITS = f"""
FROM (SELECT *, CASE WHEN id IN (SELECT value FROM json_each(:ok)) THEN '{STATES[0]}'
        WHEN id IN (SELECT value FROM json_each(:bad)) THEN '{STATES[1]}' ELSE '{STATES[2]}' END AS state
    {_FOUND} AND {_OWN} AND (cycle_id = '' OR cycle_id IN (SELECT cycle_id FROM cycles WHERE outcome = 'landed')
        AND cycle_id NOT IN (SELECT cycle_id FROM records WHERE kind = 'rebased')))
"""


def commits(
    index: Index, verdicts: Mapping[str, Checked], *, q: str, state: str, limit: int, offset: int
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The accepted records of commits that landed, newest first, each with its ``state``; and how many commits
    with ``q`` in them are in each state."""
    ok, bad = ([one for one, verdict in verdicts.items() if verdict.ok is good] for good in (True, False))
    values = {"q": q, "like": _like(q), "kind": "", "cycle": "", "state": state, "ok": json.dumps(ok),
              "bad": json.dumps(bad), "limit": limit, "offset": offset}  # fmt: skip
    counted = index.select(f"SELECT state, count(*) AS n {_COMMITS} GROUP BY state", values)
    counts = dict.fromkeys(STATES, 0) | {row["state"]: row["n"] for row in counted}
    rows = index.select(
        f"SELECT * {_COMMITS} WHERE :state IN ('', state) ORDER BY seq DESC LIMIT :limit OFFSET :offset",
        values,
    )
    return rows, counts


def _like(q: str) -> str:
    """The pattern for text that holds ``q``."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", q) + "%"


def kinds(index: Index) -> list[str]:
    return [row["kind"] for row in index.select("SELECT DISTINCT kind FROM records ORDER BY kind")]


def item_data(item: Item) -> dict[str, Any]:
    """The stable shape of an item, as `tdd plan show --json` prints it."""
    return {
        **asdict(item),
        "tags": list(item.tags),
        "failure": asdict(item.failure) if item.failure else None,
    }


def card_data(card: Card) -> dict[str, Any]:
    """An item with what the board shows of it."""
    return {
        **item_data(card.item),
        "retries": card.retries,
        "actual_hours": round(card.actual_hours, 3),
        "cycle_id": card.cycle_id,
        "waiting": card.waiting,
        "fix_item": card.fix.id if card.fix else None,
        "is_fix": card.is_fix,
        "forecast": card.forecast,
    }


def attempt_data(attempt: Attempt) -> dict[str, Any]:
    data = asdict(attempt)
    return {
        **data,
        "id": attempt.id,
        "agent": attempt.agent.model_dump(mode="json"),
        "answers": [{"question": name, "answer": said} for name, said in attempt.answers],
    }


def numbers_data(one: Numbers) -> dict[str, Any]:
    metric = one.metric
    return {
        "name": metric.name, "title": metric.title, "note": metric.note, "since": one.since or None,
        "sql": metric.sql.strip(), "rows": list(one.rows), "cycles": [list(ids) for ids in one.cycles],
    }  # fmt: skip
