"""The forge client against a real HTTP server: what is posted, what is refused, and that nothing is posted twice."""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.config.schema import GitHubConfig
from tdd_orchestrator.failures import reports
from tdd_orchestrator.failures.github import (
    CannotPost,
    GitHub,
    as_post,
    marker,
    pending,
    post_one,
    post_pending,
)
from tdd_orchestrator.failures.reports import mark_failed, read
from tdd_orchestrator.model.plan import Item, Plan
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

from .conftest import Scene, Tdd, plain, stage
from .forge_server import GitHubServer, Trouble, serving
from .test_escalation import over
from .test_report import made

pytest.importorskip("github", reason="PyGithub is not installed")
TOKEN = "ghp_" + "a1B2" * 9
REPORT = made()
FIX = Item("zz9x", "Fix: adds two numbers - logic")


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with serving() as server:
        server.open_issue(7)
        yield server


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    root = tmp_path / "repo"
    plain(tmp_path, "init", "-q", "-b", "main", str(root))
    plain(root, "commit", "-q", "--allow-empty", "-m", "begin")
    with Git(root / ".git", root) as git, Objects(git) as objects:
        yield Store(git, objects)


def head(store: Store, tmp_path: Path) -> str:
    return plain(tmp_path / "repo", "rev-parse", "HEAD")


def client(github: GitHubServer) -> GitHub:
    return GitHub("ada/calc", github.address, TOKEN, 1)


def config(github: GitHubServer) -> GitHubConfig:
    return GitHubConfig(repository="ada/calc", api=github.address)


@pytest.fixture
def filed(store: Store, tmp_path: Path) -> reports.StoredReport:
    mark_failed(store, head(store, tmp_path), REPORT, ["post"])
    return read(store)[0]


def test_comment_labels_and_fix_issue(github: GitHubServer) -> None:
    posted = client(github).post(as_post(REPORT, FIX), {})
    assert not posted.problems
    assert set(posted.done) == {"comment", "labels", "fix_issue"}
    assert github.names(7) == {"workflow-failed", "error:logic"}
    body = github.comments[7][0]["body"]
    assert marker(REPORT.error_id) in body
    assert "assert -1 == 5" in body
    assert "`calc.py:2`" in body
    assert body.endswith("Fix issue: #8")
    assert github.issues[8]["title"] == FIX.title
    assert "## Done when" in github.issues[8]["body"]
    assert github.names(8) == {"error-fix", "error:logic"}
    assert github.authorizations == {f"token {TOKEN}"} or github.authorizations == {f"Bearer {TOKEN}"}


def test_without_a_linked_issue_there_is_only_the_fix_issue(github: GitHubServer) -> None:
    posted = client(github).post(as_post(REPORT.model_copy(update={"issue_number": None}), FIX), {})
    assert set(posted.done) == {"fix_issue"}
    assert not github.comments[7]


def test_second_visit_changes_nothing(github: GitHubServer) -> None:
    github.open_issue(3, labels=("error-fix",))
    for _ in range(2):
        posted = client(github).post(as_post(REPORT, FIX), {})
    assert posted.done["comment"] == github.comments[7][0]["html_url"]
    assert len(github.comments[7]) == 1
    assert len(github.issues) == 3
    assert [call for call in github.calls if call.startswith("POST")] == [
        "POST /repos/ada/calc/issues",
        "POST /repos/ada/calc/issues/7/comments",
        "POST /repos/ada/calc/issues/7/labels",
    ]


def test_last_words_of_others_are_brought_back(github: GitHubServer) -> None:
    for n in range(7):
        github.said(7, f"word {n}", by="bob")
    posted = client(github).post(as_post(REPORT, FIX), {})
    assert [one["text"] for one in posted.comments] == [f"word {n}" for n in range(2, 7)]
    assert posted.comments[0]["by"] == "bob"


def test_words_of_the_failure_mention_and_close_nothing() -> None:
    report = REPORT.model_copy(update={"error_message": "@bob fixes #1", "root_cause": "```\n@bob closes #2"})
    text = as_post(report, FIX).comment
    inside = ""
    for line in text.splitlines():
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if not inside and len(ticks) >= 3:
            inside = ticks
        elif inside and line == inside:
            inside = ""
        elif "@bob" in line:
            assert inside
    assert not inside


LATER = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1900000000"}
REFUSALS = [
    (Trouble(401, "Bad credentials"), "the token is not accepted", 1),
    (Trouble(403, "Resource not accessible by integration"), "the token may not do this", 3),
    (Trouble(403, "API rate limit exceeded for user", LATER), "rate limit, until 2030-03-17 17:46 UTC", 1),
    (
        Trouble(403, "You have exceeded a secondary rate limit", {"Retry-After": "60"}),
        "rate limit, for 60 s",
        1,
    ),
    (Trouble(429, "Too many"), "rate limit", 1),
    (Trouble(404, "Not Found"), "it is not there", 3),
    (Trouble(410, "Issues are disabled for this repo"), "issues are switched off", 3),
    (Trouble(422, "Validation Failed"), "GitHub did not accept the request (HTTP 422: Validation Failed)", 3),
    (Trouble(500, "oops"), "GitHub has an outage", 1),
    (Trouble(503, "", body=b"<html>unicorn</html>"), "GitHub has an outage", 1),
    (Trouble(200, body=b'["not", "an", "issue"]'), "GitHub's answer was not understood", 3),
    (Trouble(200, sleep=2.0), "GitHub is unavailable", 1),
]


@pytest.mark.parametrize(
    ("trouble", "words", "calls"), REFUSALS, ids=lambda one: str(getattr(one, "status", one))[:20]
)
def test_refused_call_is_told_and_never_raises(
    github: GitHubServer, trouble: Trouble, words: str, calls: int
) -> None:
    github.trouble = trouble
    posted = client(github).post(as_post(REPORT, FIX), {})
    assert words in posted.problems["fix_issue"]
    assert set(posted.problems) == {"comment", "labels", "fix_issue"}
    assert not posted.done
    tried = [words for words in posted.problems.values() if words != "not tried"]
    assert len(tried) == calls
    assert TOKEN not in json.dumps(dict(posted.problems))


def test_step_that_is_refused_leaves_the_others(github: GitHubServer) -> None:
    github.trouble = Trouble(422, "Validation Failed", on="POST /repos/ada/calc/issues/7/labels")
    posted = client(github).post(as_post(REPORT, FIX), {})
    assert set(posted.problems) == {"labels"}
    assert set(posted.done) == {"comment", "fix_issue"}


def test_answer_that_echoes_the_token_does_not_bring_it_in(github: GitHubServer) -> None:
    github.trouble = Trouble(422, f"bad header {TOKEN}")
    assert TOKEN not in json.dumps(dict(client(github).post(as_post(REPORT, FIX), {}).problems))


@pytest.mark.parametrize(
    ("api", "token", "why"),
    [
        ("https://api.github.com", "", "no token"),
        ("http://github.example.org/api/v3", TOKEN, "not sent in the clear"),
        ("file:///etc/passwd", TOKEN, "no https address"),
    ],
)
def test_token_is_sent_only_where_it_is_safe(api: str, token: str, why: str) -> None:
    with pytest.raises(CannotPost, match=why):
        GitHub("ada/calc", api, token)


def test_without_the_client_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "github", None)
    with pytest.raises(CannotPost, match="the extra 'github'"):
        GitHub("ada/calc", "https://api.github.com", TOKEN)


def test_posted_once_and_recorded(github: GitHubServer, store: Store, filed: reports.StoredReport) -> None:
    assert post_one(store, config(github), TOKEN, filed, FIX) == ""
    assert pending(store) == []
    work = read(store)[0].work["post"]
    assert work.status == "done"
    assert work.details["done"]["fix_issue"].endswith("/issues/8")


def test_what_could_not_be_posted_is_recorded_and_posted_later(
    github: GitHubServer, store: Store, filed: reports.StoredReport
) -> None:
    github.trouble = Trouble(503)
    left = post_one(store, config(github), TOKEN, filed, FIX)
    assert "has an outage" in left
    assert [one.error_id for one in pending(store)] == [filed.error_id]
    github.trouble = None
    said: list[str] = []
    assert post_pending(store, Plan((FIX,)), config(github), TOKEN, said.append) == (1, 0)
    assert said == [f"{filed.error_id}: posted"]
    assert post_pending(store, Plan(), config(github), TOKEN, said.append) == (0, 0)
    assert len(github.comments[7]) == 1
    assert len(github.issues) == 2


def test_answer_that_was_lost_makes_no_duplicate(
    github: GitHubServer, store: Store, filed: reports.StoredReport
) -> None:
    """The comment was made, and we never learned of it: as after a crash."""
    github.trouble = Trouble(502, on="POST /repos/ada/calc/issues/7/comments", after=True, times=1)
    assert post_one(store, config(github), TOKEN, filed, FIX)
    assert len(github.comments[7]) == 1
    assert post_pending(store, Plan(), config(github), TOKEN, lambda _: None) == (1, 0)
    assert len(github.comments[7]) == 1


def test_same_problem_is_recorded_once(
    github: GitHubServer, store: Store, filed: reports.StoredReport
) -> None:
    github.trouble = Trouble(404, "Not Found")
    for _ in range(3):
        assert post_pending(store, Plan(), config(github), TOKEN, lambda _: None) == (0, 1)
    assert sum(entry.record["kind"] == "report_action" for entry in store.trail()) == 1


def test_closed_port_and_silence_are_bounded(store: Store, filed: reports.StoredReport) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        dead = GitHubConfig(repository="ada/calc", api=f"http://127.0.0.1:{silent.getsockname()[1]}")
        begun = time.monotonic()
        left = post_one(store, dead, TOKEN, filed, FIX, seconds=1.0)
        assert time.monotonic() - begun < 4
    assert "did not answer" in left or "unavailable" in left
    assert "unavailable" in post_one(store, dead, TOKEN, read(store)[0], FIX, seconds=3.0)
    assert pending(store)


def test_token_is_in_no_record(github: GitHubServer, store: Store, filed: reports.StoredReport) -> None:
    github.trouble = Trouble(401, f"Bad credentials {TOKEN}")
    post_one(store, config(github), TOKEN, filed, FIX)
    records: list[Any] = [entry.record for entry in store.trail()]
    assert TOKEN not in json.dumps(records)


def test_cycle_ends_whatever_the_forge_says_and_sync_posts_it_later(
    github: GitHubServer, scene: Scene, tdd: Tdd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    scene.configure(f'[github]\nrepository = "ada/calc"\napi = "{github.address}"\ntoken_env = "MY_TOKEN"\n')
    github.trouble = Trouble(502)
    stage(scene, Item("", "adds two numbers", issue=7))
    over(scene)
    assert scene.reports()[0].work["post"].status == "failed"
    github.trouble = None
    plain(scene.root.parent, "init", "-q", "--bare", "elsewhere.git")
    plain(scene.root, "remote", "add", "origin", "../elsewhere.git")
    done = tdd("sync", "--github")
    assert done.returncode == 0, done.stderr
    assert len(github.comments[7]) == 1
    assert github.names(7) == {"workflow-failed", "error:test"}
    assert github.issues[8]["title"] == "Fix: adds two numbers - test"
    assert scene.reports()[0].work["post"].status == "done"
    tdd("sync", "--github")
    assert len(github.comments[7]) == 1
    assert TOKEN not in json.dumps(scene.records())
