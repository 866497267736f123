"""The tables of the index. ``records`` holds one row a record; ``attempts``, ``cycles`` and ``item_states`` are
computed from it by SQL, for all at once or for what a new record belongs to.

A change of any text here changes ``VERSION``, and an index of another version is rebuilt.
"""

from __future__ import annotations

from zlib import crc32

from tdd_orchestrator.cycle.plan.repository import STATUS_OF

COLUMNS: tuple[tuple[str, str], ...] = (
    ("seq", "INTEGER"),  # place in the audit log
    ("id", "TEXT"),
    ("at", "TEXT"),
    ("kind", "TEXT"),
    ("cycle_id", "TEXT"),
    ("cycle_number", "INTEGER"),
    ("item_id", "TEXT"),
    ("item", "TEXT"),
    ("branch", "TEXT"),
    ("phase", "TEXT"),
    ("attempt", "INTEGER"),
    ("retry_count", "INTEGER"),
    ("on_commit", "TEXT"),
    ("notes_commit", "TEXT"),
    ("status", "TEXT"),
    ("verdict", "TEXT"),
    ("outcome", "TEXT"),
    ("error_id", "TEXT"),
    ("error_type", "TEXT"),
    ("message", "TEXT"),
    ("fingerprint", "TEXT"),
    ("agent", "TEXT"),
    ("role", "TEXT"),
    ("model", "TEXT"),
    ("seconds", "REAL"),  # of the agent
    ("tokens", "INTEGER"),  # of the agent and of those that were only asked
    ("cost", "REAL"),
    ("wall", "REAL"),
    ("transport", "INTEGER"),  # 1: the provider was away, nothing was attempted
    ("passed", "INTEGER"),
    ("failed", "INTEGER"),
    ("test_seconds", "REAL"),
    ("hours", "REAL"),  # estimated, of an error report
    # gate of an approval, question of an ended cycle, step of a report action, reason of a closed report,
    # cycle of an open one
    ("detail", "TEXT"),
)

_RECORDS = "CREATE TABLE records (" + ", ".join(map(" ".join, COLUMNS)) + ")"

INSERT = (
    f"INSERT INTO records ({', '.join(name for name, _ in COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
)

_OF_ATTEMPTS = (
    "cycle_id, phase, seq, id, at, item_id, cycle_number, retry_count, error_type, message, fingerprint, agent, role, "
    "model, seconds, tokens, cost, passed, failed, test_seconds"
)


def week_of(column: str) -> str:
    """SQL for the week of a time: the date of its Monday."""
    return f"date({column}, '-6 days', 'weekday 1')"


TABLES = (
    _RECORDS,
    f"CREATE TABLE attempts ({_OF_ATTEMPTS}, accepted, week, PRIMARY KEY (cycle_id, phase, seq)) WITHOUT ROWID",
    "CREATE TABLE flaky (record TEXT, test TEXT, quarantined_until TEXT, UNIQUE (record, test))",
    """CREATE TABLE changed (
        record TEXT, path TEXT, at TEXT, cycle_id TEXT, accepted INTEGER, PRIMARY KEY (record, path))
        WITHOUT ROWID""",
    "CREATE TABLE superseded (record TEXT, agent TEXT, role TEXT, seconds REAL, UNIQUE (record, agent))",
    "CREATE TABLE contexts (record TEXT PRIMARY KEY, context TEXT)",  # of failures, as JSON
    "CREATE TABLE damaged (on_commit TEXT, why TEXT, line TEXT, newer INTEGER)",
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
    """CREATE TABLE items (
        id TEXT PRIMARY KEY, title TEXT, description TEXT, type TEXT, priority TEXT, parent TEXT, tags TEXT,
        hours REAL, issue INTEGER, test_file TEXT, impl_file TEXT, place REAL, authored_status TEXT,
        fix INTEGER, error_type TEXT, after_items TEXT)""",
    """CREATE TABLE cycles (
        cycle_id TEXT PRIMARY KEY, number INTEGER, item_id TEXT, item TEXT, branch TEXT, started TEXT,
        last_at TEXT, records INTEGER, attempts INTEGER, refused INTEGER, retries INTEGER, tokens INTEGER, cost REAL,
        minutes REAL, outcome TEXT, ended TEXT, error_id TEXT, error_type TEXT, phase TEXT, waiting TEXT)""",
    """CREATE TABLE item_states (
        item_id TEXT PRIMARY KEY, kind TEXT, outcome TEXT, error_id TEXT, error_type TEXT, summary TEXT, at TEXT,
        retry_count INTEGER, cycle_id TEXT, asks INTEGER, retries INTEGER, actual_hours REAL, waiting TEXT,
        touched INTEGER)""",
)

_KINDS = ", ".join(f"'{kind}'" for kind in dict.fromkeys(kind for kind, _ in STATUS_OF))
_SETS_STATUS = f"kind IN ({_KINDS})"
_PAIRS = "(VALUES " + ", ".join(f"('{kind}', '{outcome}')" for kind, outcome in STATUS_OF) + ")"

INDEXES = (
    "CREATE UNIQUE INDEX records_by_id ON records (id)",
    "CREATE INDEX records_in_order ON records (seq)",
    "CREATE INDEX records_of_cycle ON records (cycle_id, seq)",
    "CREATE INDEX records_by_kind ON records (kind, at)",
    "CREATE INDEX records_on_commit ON records (on_commit)",
    f"CREATE INDEX records_of_item ON records (item_id, seq) WHERE {_SETS_STATUS}",
    "CREATE INDEX records_by_error ON records (error_id) WHERE error_id != ''",
    "CREATE INDEX cycles_by_number ON cycles (number)",
    "CREATE INDEX cycles_of_item ON cycles (item_id, minutes)",
    # All columns of a metric in its order, so that its rows are neither looked up nor sorted
    "CREATE INDEX attempts_by_agent ON attempts (agent, model, role, accepted, retry_count, tokens, cost, seconds, at, cycle_id)",
    "CREATE INDEX attempts_by_week ON attempts (week, test_seconds, passed, failed, at, cycle_id)",
    """CREATE INDEX attempts_rejected ON attempts (fingerprint, message, error_type, item_id, at, cycle_id, accepted)
        WHERE NOT accepted""",
    "CREATE INDEX changed_by_path ON changed (path, at, accepted, cycle_id)",
)
"""Made after the first filling, which they would slow down."""

VIEWS = (
    """CREATE VIEW failures AS
        SELECT opened.error_id, opened.at, opened.item_id, opened.item, opened.phase, opened.error_type,
            opened.message, opened.fingerprint, opened.retry_count, opened.hours AS estimated_hours,
            CASE WHEN opened.cycle_id != '' THEN opened.cycle_id
                ELSE (SELECT cycle_id FROM cycles WHERE cycle_id = opened.detail) END AS cycle_id,
            opened.on_commit,
            max(closed.at) AS closed_at, closed.detail AS reason,
            (julianday(max(closed.at)) - julianday(opened.at)) * 24 AS hours_to_fix
        FROM records AS opened LEFT JOIN records AS closed
            ON closed.kind = 'error_report' AND closed.status = 'closed' AND closed.error_id = opened.error_id
            AND closed.error_id != ''
        WHERE opened.kind = 'error_report' AND opened.status = 'open' GROUP BY opened.error_id""",
)

_NEW = "FROM records INDEXED BY records_in_order WHERE seq > :after"
CYCLES_SINCE = f"SELECT DISTINCT cycle_id {_NEW} AND cycle_id != ''"
ITEMS_SINCE = f"""
SELECT item_id {_NEW} UNION SELECT item_id FROM cycles WHERE cycle_id IN ({CYCLES_SINCE})"""

_ATTEMPT = "kind IN ('handoff', 'error') AND transport = 0"
ATTEMPTS = f"""
INSERT INTO attempts SELECT {_OF_ATTEMPTS}, kind = 'handoff', {week_of("at")} {_NEW} AND {_ATTEMPT}"""

_FOLD = f"""
INSERT OR REPLACE INTO cycles
SELECT every.cycle_id, number, every.item_id, every.item, every.branch, started, last_at, records, attempts, refused,
    retries, every.tokens, every.cost, minutes, coalesce(place.outcome, ''),
    CASE WHEN place.outcome != '' THEN place.at ELSE '' END, place.error_id, place.error_type, newest.phase,
    CASE WHEN newest.kind = 'approval' AND newest.status = 'wanted' THEN newest.detail ELSE '' END
FROM (
    SELECT cycle_id, max(cycle_number) AS number, max(item_id) AS item_id, max(item) AS item, max(branch) AS branch,
        min(at) AS started, max(at) AS last_at, count(*) AS records, sum({_ATTEMPT}) AS attempts,
        sum({_ATTEMPT} AND kind = 'error') AS refused,
        coalesce(max(retry_count) FILTER (WHERE {_ATTEMPT}), 0) AS retries, nullif(sum(tokens), 0) AS tokens,
        nullif(sum(cost), 0) AS cost, sum(wall) / 60.0 AS minutes, max(seq) AS newest,
        max(seq) FILTER (WHERE kind IN ('cycle_started', 'resumed', 'cycle_ended')) AS place
    FROM records WHERE {{where}} GROUP BY cycle_id
) AS every
JOIN records AS newest ON newest.seq = every.newest LEFT JOIN records AS place ON place.seq = every.place
"""

FOLD_ALL = _FOLD.format(where="cycle_id != ''")
FOLD_ONE = _FOLD.format(where="cycle_id = :cycle")
"""The same SQL for one cycle as for all, so that an update cannot differ from a rebuild."""

_STATES = f"""
INSERT OR REPLACE INTO item_states
SELECT state.item_id, kind, state.outcome, state.error_id, state.error_type, message, at, retry_count, state.cycle_id,
    asks, cycle.retries, (SELECT sum(minutes) / 60 FROM cycles WHERE cycles.item_id = state.item_id),
    CASE WHEN asks THEN 'covered' ELSE cycle.waiting END, (SELECT max(seq) FROM records)
FROM (
    SELECT *, CASE WHEN kind = 'cycle_ended' AND detail = 'covered' THEN NOT EXISTS (
        SELECT 1 FROM records AS answer WHERE answer.kind = 'approval' AND answer.detail = 'covered'
            AND answer.item_id = newest.item_id AND answer.seq > newest.seq) ELSE 0 END AS asks
    FROM (
        SELECT item_id, kind, outcome, error_id, error_type, message, at, retry_count, cycle_id, detail, max(seq) AS seq
        FROM records WHERE {{where}} AND {_SETS_STATUS} AND (kind, outcome) IN {_PAIRS} GROUP BY item_id
    ) AS newest
) AS state LEFT JOIN cycles AS cycle ON cycle.cycle_id = state.cycle_id
"""

STATE = (
    "item_id, kind, outcome, error_id, error_type, summary, at, retry_count, cycle_id, asks, retries, actual_hours, "
    "waiting"
)
"""What a row of ``item_states`` says; ``touched`` is the newest record when it was made."""

STATES_ALL = _STATES.format(where="item_id != ''")
STATES_ONE = _STATES.format(where="item_id = :item")

VERSION = crc32("".join((*TABLES, *INDEXES, *VIEWS, ATTEMPTS, _FOLD, _STATES)).encode()) & 0x7FFFFFFF
