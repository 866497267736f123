"""GitHub (F7): a comment, labels and a fix issue.

A refused call becomes a message; it never raises to the cycle. Every step can be repeated: existing
comments are found by a hidden marker, and labels are a set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tdd_orchestrator.config.schema import GitHubConfig
from tdd_orchestrator.failures import fixes
from tdd_orchestrator.failures.notify import within
from tdd_orchestrator.failures.reports import StoredReport, note_work, read
from tdd_orchestrator.model.error_report import ErrorReport
from tdd_orchestrator.model.errors import add_extra
from tdd_orchestrator.model.plan import Item, Plan
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.text import one_line, plain

if TYPE_CHECKING:
    from github.Issue import Issue
    from github.Repository import Repository


STEPS = ("fix_issue", "comment", "labels")  # the comment names the fix issue
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SKEW = timedelta(hours=1)  # between this machine's clock and the forge's
_COMMENTS = 5  # last words of the linked issue that are kept
_FIX_LABEL = "error-fix"


@dataclass(frozen=True, slots=True)
class Post:
    """The content of a post. ``issue`` 0: there is no linked one. ``since``: ISO time of the failure."""

    marker: str
    since: str
    issue: int
    comment: str
    labels: tuple[str, ...]
    fix_title: str
    fix_body: str
    fix_labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Posted:
    """``done``: step -> address. ``problems``: step -> a sentence. ``comments``: others' last words there."""

    done: Mapping[str, str] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)
    comments: tuple[Mapping[str, str], ...] = ()


class CannotPost(Exception):
    """GitHub cannot be reached at all; the message says why."""


class GitHub:
    """One repository, ``owner/name``. CannotPost where the token, the client or a safe address is missing."""

    def __init__(self, repository: str, api: str, token: str, seconds: int = 4) -> None:
        parts = urlsplit(api)
        if not token:
            raise CannotPost("there is no token in the environment variable that github.token_env names")
        if parts.scheme != "https" and (parts.scheme != "http" or parts.hostname not in _LOOPBACK):
            raise CannotPost("github.api is no https address, and the token is not sent in the clear")
        try:
            from github import Auth, Github
        except ImportError as error:
            raise CannotPost(f"PyGithub is not installed. {add_extra('github')}") from error
        client = Github(
            auth=Auth.Token(token), base_url=api.rstrip("/"), timeout=seconds, retry=None, per_page=100,
            seconds_between_requests=None, seconds_between_writes=None, user_agent="tdd", lazy=True,
        )  # fmt: skip
        self._repository: Repository = client.get_repo(repository)
        self._token = token

    def post(self, post: Post, done: Mapping[str, str]) -> Posted:
        """Do the steps that are not in ``done``. One that is refused leaves the others; no network ends
        it."""
        found, problems = dict(done), dict[str, str]()
        wanted = [step for step in STEPS if step not in done and (post.issue or step == "fix_issue")]
        state = _Visit(self._repository, post, found)
        for number, step in enumerate(wanted):
            try:
                found[step] = state.steps[step]()
            except Exception as error:  # noqa: BLE001  any error of the client is reported, not raised
                problems[step], over = self._words(error)
                if over:
                    problems |= dict.fromkeys(wanted[number + 1 :], "not tried")
                    break
        return Posted(found, problems, state.comments)

    def _words(self, error: Exception) -> tuple[str, bool]:
        """A sentence for a failed call, and whether there is no use in trying the next one."""
        from github import GithubException

        if not isinstance(error, GithubException):
            kind = (
                "GitHub is unavailable"
                if isinstance(error, OSError)
                else "GitHub's answer was not understood"
            )
            return f"{kind} ({type(error).__name__})", isinstance(error, OSError)
        limit = _rate_limit(error.status, error.headers or {})
        message = error.data.get("message", "") if isinstance(error.data, dict) else ""
        row = next((words for status, words in _STATUS if status == error.status), _NOT_UNDERSTOOD)
        row = "GitHub has an outage" if error.status >= 500 else row
        text = limit or " ".join(filter(None, (row, f"(HTTP {error.status}: {one_line(str(message), 160)})")))
        return text.replace(self._token, "[token]"), bool(limit) or error.status == 401 or error.status >= 500


_NOT_UNDERSTOOD = "GitHub's answer was not understood"
_STATUS = (
    (401, "the token is not accepted"),
    (403, "the token may not do this"),
    (404, "it is not there, or the token may not see it"),
    (410, "it is gone, or issues are switched off"),
    (422, "GitHub did not accept the request"),
)


def _rate_limit(status: int, headers: Mapping[str, str]) -> str:
    """A sentence where this refusal is a rate limit, with when it ends; else nothing."""
    lowered = {key.lower(): value for key, value in headers.items()}
    if status not in (403, 429):
        return ""
    if lowered.get("retry-after", "").isdigit():
        return f"rate limit, for {lowered['retry-after']} s"
    reset = lowered.get("x-ratelimit-reset", "")
    if lowered.get("x-ratelimit-remaining") == "0" and reset.isdigit() and len(reset) < 12:
        return f"rate limit, until {datetime.fromtimestamp(int(reset), UTC):%Y-%m-%d %H:%M} UTC"
    return "rate limit" if status == 429 else ""


class _Visit:
    """The steps of one post, each finding what an earlier visit left."""

    def __init__(self, repository: Repository, post: Post, done: Mapping[str, str]) -> None:
        """``done``: the addresses of the steps that are done, as they come."""
        self._repository, self._wanted, self._done = repository, post, done
        self._issue: Issue | None = None
        self.comments: tuple[Mapping[str, str], ...] = ()
        self.steps: dict[str, Callable[[], str]] = {
            "comment": self._comment, "labels": self._label, "fix_issue": self._fix_issue,
        }  # fmt: skip

    @property
    def _since(self) -> datetime:
        return datetime.fromisoformat(self._wanted.since) - _SKEW

    def _linked(self) -> Issue:
        if self._issue is None:
            self._issue = self._repository.get_issue(self._wanted.issue)
        return self._issue

    def _comment(self) -> str:
        issue = self._linked()
        comments = list(issue.get_comments(since=self._since))
        mine = next((one for one in comments if self._wanted.marker in (one.body or "")), None)
        self.comments = tuple(_quoted(one) for one in comments if "<!-- tdd:" not in (one.body or ""))[
            -_COMMENTS:
        ]
        return str((mine or issue.create_comment(self._text())).html_url)

    def _text(self) -> str:
        """The comment, with the number of the fix issue where there is one."""
        number = self._done.get("fix_issue", "").rpartition("/")[2]
        return f"{self._wanted.comment}\n\nFix issue: #{number}" if number else self._wanted.comment

    def _label(self) -> str:
        issue = self._linked()
        there = {label.name for label in issue.labels}
        missing = [label for label in self._wanted.labels if label not in there]
        if missing:
            issue.add_to_labels(*missing)
        return str(issue.html_url)

    def _fix_issue(self) -> str:
        wanted = self._wanted
        for issue in self._repository.get_issues(state="all", labels=[_FIX_LABEL], since=self._since):
            if wanted.marker in (issue.body or ""):
                return str(issue.html_url)
        made = self._repository.create_issue(
            wanted.fix_title, wanted.fix_body, labels=list(wanted.fix_labels)
        )
        return str(made.html_url)


def _quoted(comment: Any) -> dict[str, str]:
    by = comment.user.login if comment.user else ""
    return {"by": one_line(by, 60), "text": (comment.body or "")[:500]}


SECONDS = 4.0  # for all calls at escalation; later there is more time
LATER_SECONDS = 60.0
_PER_CALL = 20  # seconds


def marker(error_id: str) -> str:
    """Return the hidden marker of our comment, by which a second visit finds it."""
    return f"<!-- tdd:{error_id} -->"


def as_post(report: ErrorReport, fix: Item | None) -> Post:
    """Return a report as a comment. Quoted text stands in code, where it mentions and closes nothing."""
    error_id, kind = report.error_id, report.error_type
    mark = marker(error_id)
    title = fix.title if fix else f"Fix: {report.item} - {kind}"
    return Post(
        marker=mark,
        since=report.failed_at,
        issue=report.issue_number or 0,
        comment=f"{mark}\n{_comment(report)}",
        labels=("workflow-failed", f"error:{kind}"),
        fix_title=one_line(title, 240),
        fix_body=f"{mark}\n{fixes.prompt(report, fix=fix)}",
        fix_labels=("error-fix", f"error:{kind}"),
    )


def _comment(report: ErrorReport) -> str:
    files = "\n".join(f"- `{one_line(place, 200).replace('`', '')}`" for place in report.affected_files)
    return "\n\n".join(
        filter(
            None,
            (
                f"A test-driven cycle failed for good in **{report.failed_phase}** "
                f"({report.error_type}, "
                f"`{report.error_id}`). The branch stands as it was.",
                fixes.fenced(f"{plain(report.item)}\n\n{report.error_message}"),
                f"Probable cause:\n\n{fixes.fenced(report.root_cause)}",
                f"Affected files:\n\n{files}" if files else "",
                f"Proposed: {fixes.strategy_text(report)} Next: `{report.recommended_workflow}`",
            ),
        )
    )


def post_one(
    store: Store,
    config: GitHubConfig,
    token: str,
    one: StoredReport,
    fix: Item | None,
    seconds: float = SECONDS,
) -> str:
    """Post what of a report is not posted yet, and record how it went. A sentence where something is left,
    else ""."""
    before = one.done("post")
    details = before.details
    try:
        forge = GitHub(config.repository, config.api, token, int(min(seconds, _PER_CALL)))
        found = within(seconds, lambda: forge.post(as_post(one.report, fix), details.get("done") or {}))
    except CannotPost as error:
        found = Posted(details.get("done") or {}, {"all": str(error)})
    except TimeoutError:
        found = Posted(details.get("done") or {}, {"all": f"GitHub did not answer within {seconds:g} s"})
    why = "; ".join(f"{step}: {words}" for step, words in found.problems.items() if words != "not tried")
    status = "failed" if found.problems else "done"
    if (before.status, before.why) != (status, one_line(why, 400)):
        note_work(store, one, "post", status, why, done=dict(found.done),
                  comments=[dict(comment) for comment in found.comments] or list(
                      details.get("comments") or ()))  # fmt: skip
    return why


def pending(store: Store) -> list[StoredReport]:
    """Reports that should stand on the forge and do not yet, oldest first."""
    return [
        one for one in read(store)
        if "post" in one.outside and one.done("post").status != "done"
    ]  # fmt: skip


def post_pending(
    store: Store, plan: Plan, config: GitHubConfig, token: str, say: Callable[[str], None]
) -> tuple[int, int]:
    """Post what could not be posted when it happened: (posted, still left). Nothing is posted twice."""
    posted, left = 0, 0
    for one in pending(store):
        why = post_one(store, config, token, one, fixes.fix_of(one.report, plan.items), LATER_SECONDS)
        posted, left = (posted, left + 1) if why else (posted + 1, left)
        say(f"{one.error_id}: {f'not posted: {why}' if why else 'posted'}")
    return posted, left
