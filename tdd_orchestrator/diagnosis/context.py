"""Build a specialist's request about a failure (A8): values only; ``evidence`` finds them in files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tdd_orchestrator.model.diagnosis import Diagnosis, RoutingType
from tdd_orchestrator.model.report import Case
from tdd_orchestrator.redaction import redact, redacted_cut
from tdd_orchestrator.text import one_line, plain

TASK = "Fix this error so the test can pass"
CONSOLE = 50  # last entries that are included
EXCHANGES = 20
_BODY, _STACK, _MESSAGE, _ENTRY = 4_000, 20_000, 4_000, 1_000  # characters
_SEARCHED = 20_000  # characters of a text that are searched for a statement, a table or a policy

_SQL = (
    re.compile(r"\[SQL: (.{1,4000}?)\](?:$|\n)", re.DOTALL),
    re.compile(r"^(?:STATEMENT|QUERY|Query|SQL|sql|query):\s{0,8}(.{1,4000})$", re.MULTILINE),
    re.compile(r"^LINE \d+: (.{1,4000})$", re.MULTILINE),
    re.compile(
        r"""["']?(?:sql|query|statement|internalQuery)["']?\s{0,4}:\s{0,4}["'`]((?:select|insert|update|delete|with|create|alter|drop)\b[^"'`]{1,4000})""",
        re.IGNORECASE,
    ),
    re.compile(
        r"""["'`(]((?:select\s.{1,2000}?\sfrom|insert\s+into|update\s.{1,200}?\sset|delete\s+from)\s[^"'`]{1,4000})""",
        re.IGNORECASE | re.DOTALL,
    ),
)
_TABLE = (
    re.compile(r"(?:table|relation|Tabelle|tabla|Relation|relación)[  ]+[\"'`»«]{1}([\w.]{1,128})"),
    re.compile(r"no such table: ([\w.]{1,128})"),
    re.compile(r"Table '([\w.]{1,128})' doesn't exist"),
    re.compile(r"constraint failed: (\w{1,64})\.\w"),
    re.compile(r"(?:`\w{1,64}`\.)`(\w{1,64})`, CONSTRAINT"),
    re.compile(r"(?:into|from|update|join|table)\s+[\"`]?([A-Za-z_][\w.]{0,127})[\"`]?", re.IGNORECASE),
)
_POLICY = (
    re.compile(r"policy [\"'`](\w[\w -]{0,127})[\"'`]"),
    re.compile(r"(row-level security policy for table [\"'`]?\w[\w.]{0,127})"),
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP request and its response; status 0: no response, ``failure`` says why."""

    method: str
    url: str
    status: int = 0
    request_body: str = ""
    response_body: str = ""
    failure: str = ""

    @property
    def bad(self) -> bool:
        return self.status == 0 or self.status >= 400


@dataclass(frozen=True, slots=True)
class Evidence:
    """Facts found beside the report, oldest first."""

    console: tuple[str, ...] = ()
    network: tuple[Exchange, ...] = ()
    screenshot: str = ""
    failed_step: str = ""

    def plus(self, other: Evidence) -> Evidence:
        """Return both, this one's entries first."""
        return Evidence(
            (*self.console, *other.console),
            (*self.network, *other.network),
            self.screenshot or other.screenshot,
            self.failed_step or other.failed_step,
        )


@dataclass(frozen=True, slots=True)
class SpecialistRequest:
    specialist: str
    test_id: str
    test_name: str
    failed_step: str
    error_type: str
    message: str
    stack: str
    screenshot: str
    console: tuple[str, ...]
    network: tuple[Exchange, ...]
    task: str = TASK
    file: str = ""  # for a runtime error
    line: int = 0
    sql: str = ""  # for a database error
    table: str = ""
    policy: str = ""


def request_for(
    case: Case, diagnosis: Diagnosis, evidence: Evidence | None = None, secrets: Iterable[str] = ()
) -> SpecialistRequest:
    """Return the A8 request for one failing test, bounded and without secrets."""
    hidden = tuple(secrets)
    seen = evidence or Evidence()

    def safe(text: str, limit: int) -> str:
        return redacted_cut(plain(text), limit, lambda whole: redact(whole, hidden))

    database = diagnosis.routing_type is RoutingType.DATABASE or diagnosis.secondary is RoutingType.DATABASE
    texts = [safe(text, _SEARCHED) for text in _texts(case, seen)] if database else []
    sql = find_sql(texts) if database else ""
    return SpecialistRequest(
        specialist=diagnosis.specialist,
        test_id=case.id,
        test_name=case.name,
        failed_step=safe(seen.failed_step or failed_step(case.detail), _ENTRY),
        error_type=diagnosis.error_type.value if diagnosis.error_type else diagnosis.routing_type.value,
        message=safe(diagnosis.message or case.message, _MESSAGE),
        stack=safe(case.detail, _STACK),
        screenshot=seen.screenshot
        or next((one.path for one in case.attachments if one.kind == "screenshot"), ""),
        console=tuple(safe(entry, _ENTRY) for entry in seen.console[-CONSOLE:]),
        network=tuple(_safe_exchange(one, safe) for one in chosen(seen.network)),
        file=diagnosis.file,
        line=diagnosis.line,
        sql=safe(sql, _BODY),
        table=_first(_TABLE, [*texts[:2], sql, *texts[2:]]) if database else "",
        policy=_first(_POLICY, texts) if database else "",
    )


def chosen(exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """Return at most EXCHANGES of them in order: failed ones first, then late ones."""
    ranked = sorted(range(len(exchanges)), key=lambda index: (not exchanges[index].bad, -index))
    return tuple(exchanges[index] for index in sorted(ranked[:EXCHANGES]))


def _safe_exchange(one: Exchange, safe: Callable[[str, int], str]) -> Exchange:
    url, asked, answered, failure = (
        safe(text, _BODY) for text in (one.url, one.request_body, one.response_body, one.failure)
    )
    return Exchange(one.method, url, one.status, asked, answered, failure)


def _texts(case: Case, seen: Evidence) -> list[str]:
    bodies = [
        body
        for one in reversed(seen.network)
        for body in (one.response_body, one.request_body, one.failure)
        if body
    ]
    return [case.message, case.detail, *bodies[:40], *reversed(seen.console[-CONSOLE:]), case.stdout]


def find_sql(texts: Iterable[str]) -> str:
    """Return the first SQL statement in the texts; marked SQL wins over text that looks like SQL."""
    rows = list(texts)
    for pattern in _SQL:
        for text in rows:
            hit = pattern.search(text[:200_000])
            if hit:
                return one_line(hit[1].rstrip("\"'`; "), _BODY)
    return ""


def _first(patterns: Iterable[re.Pattern[str]], texts: Sequence[str]) -> str:
    for pattern in patterns:
        for text in texts:
            hit = pattern.search(text[:200_000])
            if hit:
                return (
                    hit[1].removeprefix("row-level security policy for table ").strip("\"'`")
                    if hit[1]
                    else ""
                )
    return ""


def failed_step(detail: str) -> str:
    """Return the failed step that the printed source marks: ``>   page.click("#pay")``."""
    marked = re.findall(r"^>\s{1,12}(?:\d+ ?\|\s{0,80})?(\S.{0,400})$", detail[-_STACK:], re.MULTILINE)
    return marked[0].strip() if marked else ""
