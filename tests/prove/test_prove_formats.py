"""The reports of `tdd prove`, from values: SARIF, JUnit, CTRF, the comment, in-toto statements."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
import report_schemas
from jsonschema import ValidationError, validate
from markdown_it import MarkdownIt

from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict
from tdd_orchestrator.prove.attest import git_signer, lines, pre_authentication
from tdd_orchestrator.prove.comment import MARK, markdown
from tdd_orchestrator.prove.reports import ctrf, junit, sarif
from tdd_orchestrator.prove.values import (
    MEANING,
    ChangeClass,
    ChangeRange,
    ChangeResult,
    ChangeVerdict,
    ProveReport,
    TestRow,
)
from tdd_orchestrator.repo.git import Git

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RUN = Report(
    RunVerdict.PASSED,
    cases=(Case("t.py::test_a", "test_a", Outcome.PASSED), Case("t.py::test_b", "test_b", Outcome.SKIPPED)),
    exit_code=0,
    command=("pytest", "-q"),
)
CHANGE = ChangeRange("abc123def", "feat: a | b @everybody <script>", "b" * 40, "1" * 40, "a" * 40, "2" * 40)


def result(verdict: ChangeVerdict, row_verdict: str) -> ChangeResult:
    row = TestRow(
        "tests/t.py::test_a", "added", row_verdict, "failed: assert 1 == 2", "passed", "tests/t.py", 7
    )
    return ChangeResult(
        CHANGE, ChangeClass.BEHAVIOR, verdict, ("the reason",), (row,), ("a warning",), run=RUN
    )


PROVEN = ProveReport([result(ChangeVerdict.PROVEN, "proven")], trees=2, seconds=3.0)
REFUSED = ProveReport([result(ChangeVerdict.VACUOUS_TEST, "vacuous_test")], trees=2, seconds=3.0)


BARE = ProveReport([replace(result(ChangeVerdict.NO_TEST, "proven"), tests=(), run=None)])
"""A refused change without a test: no file, no line."""
REPORTS = [PROVEN, REFUSED, BARE, ProveReport([*PROVEN.results, *REFUSED.results]), ProveReport()]


@pytest.mark.parametrize("report", REPORTS, ids=["proven", "refused", "bare", "two", "none"])
def test_every_format_fits_its_schema(report: ProveReport) -> None:
    validate(sarif(report), report_schemas.SARIF)
    validate(ctrf(report, start=1000, stop=4000), report_schemas.CTRF)
    kinds = {
        "https://in-toto.io/attestation/test-result/v0.1": report_schemas.TEST_RESULT,
        "https://in-toto.io/attestation/svr/v0.2": report_schemas.VERIFICATION,
    }
    statements = [json.loads(line) for line in lines(report, NOW, None)]
    for statement in statements:
        validate(statement, kinds[statement["predicateType"]])
    said = {statement["predicateType"] for statement in statements}
    assert said <= kinds.keys()
    assert bool(statements) == any(one.run for one in report.results)


@pytest.mark.parametrize("report", REPORTS, ids=["proven", "refused", "bare", "two", "none"])
def test_junit_has_the_elements_that_its_readers_know(report: ProveReport) -> None:
    root = ElementTree.fromstring(junit(report))
    assert root.tag == "testsuites"
    for element in root.iter():
        needed, allowed, children = report_schemas.JUNIT[element.tag]
        assert needed <= set(element.attrib) <= needed | allowed
        assert {child.tag for child in element} <= children
    for suite in root.iter("testsuite"):
        cases = suite.findall("testcase")
        assert int(suite.get("tests", "")) == len(cases)
        assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure"))
        assert {len(case) for case in cases} <= {0, 1}


def test_the_schemas_refuse_what_is_not_theirs() -> None:
    statement = json.loads(next(iter(lines(PROVEN, NOW, None))))
    for wrong in (
        {**statement, "predicate": {"result": "passed", "configuration": []}},
        {**statement, "subject": []},
        {key: value for key, value in statement.items() if key != "predicate"},
    ):
        with pytest.raises(ValidationError):
            validate(wrong, report_schemas.TEST_RESULT)
    with pytest.raises(ValidationError):
        validate({**sarif(REFUSED), "version": "2.0.0"}, report_schemas.SARIF)


def test_sarif_names_the_test_and_its_line() -> None:
    assert sarif(PROVEN)["runs"][0]["results"] == []
    (finding,) = sarif(REFUSED)["runs"][0]["results"]
    place = finding["locations"][0]["physicalLocation"]
    assert (finding["ruleId"], finding["level"]) == ("vacuous_test", "error")
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("tests/t.py", 7)


def test_sarif_warns_of_a_test_that_passes_on_the_base() -> None:
    (finding,) = sarif(ProveReport([result(ChangeVerdict.PROVEN, "passes_on_base")]))["runs"][0]["results"]
    assert (finding["ruleId"], finding["level"]) == ("passes_on_base", "warning")


@pytest.mark.parametrize(
    ("verdict", "level"), [(ChangeVerdict.PROVEN, "warning"), (ChangeVerdict.UNCOVERED, "error")]
)
def test_sarif_names_lines_that_no_test_executes(verdict: ChangeVerdict, level: str) -> None:
    found = replace(result(verdict, "proven"), uncovered=("src/a.py:7-9, 12",))
    written = sarif(ProveReport([found]))
    validate(written, report_schemas.SARIF)
    (finding,) = written["runs"][0]["results"]
    place = finding["locations"][0]["physicalLocation"]
    assert (finding["ruleId"], finding["level"]) == ("uncovered", level)
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("src/a.py", 7)


def test_junit_counts_what_fails() -> None:
    assert ElementTree.fromstring(junit(PROVEN)).find("testsuite").get("failures") == "0"  # type: ignore[union-attr]
    suite = ElementTree.fromstring(junit(REFUSED)).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), len(suite.findall("testcase/failure"))) == (
        "2",
        "2",
        2,
    )


def test_ctrf_has_what_its_schema_requires() -> None:
    report = ctrf(REFUSED, start=1000, stop=4000)
    assert (report["reportFormat"], report["specVersion"]) == ("CTRF", "0.0.0")
    summary = report["results"]["summary"]
    assert set(summary) == {"tests", "passed", "failed", "pending", "skipped", "other", "start", "stop"}
    assert (summary["tests"], summary["failed"], summary["passed"]) == (2, 2, 0)
    assert all({"name", "status", "duration"} <= set(test) for test in report["results"]["tests"])
    assert ctrf(PROVEN, start=0, stop=1)["results"]["summary"]["passed"] == 2


HOSTILE = (
    "@everybody",
    "&commat;everybody &#64;you",
    "fixes #1, owner/repo#2",
    "https://evil.example/x www.evil.example",
    "- [ ] item",
    "+ item",
    "1. item",
    "12) item",
    "===",
    "---",
    "a | b </td></table> <!-- tdd prove -->",
    "![x](http://evil/x.png) [y](http://evil)",
    "`code` $x$ ~~gone~~ **bold** _em_ \\",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_change_marks_up_links_or_mentions(text: str) -> None:
    """Rendered, each text stands as it was written, and GitHub finds no name, number or address in it."""
    row = TestRow(f"t.py::{text}", "added", "proven", f"failed: {text}", text)
    found = replace(
        result(ChangeVerdict.VACUOUS_TEST, "proven"), reasons=(text,), tests=(row,), warnings=(text,)
    )
    found = replace(found, change=replace(CHANGE, subject=text))
    page = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    rendered = page.render(markdown(ProveReport([found])))
    assert set(re.findall(r"</?([a-z][a-z0-9]*)", rendered)) <= {
        "h3", "p", "code", "ul", "li", "strong", "table", "thead", "tbody", "tr", "th", "td", "sub",
    }  # fmt: skip
    assert rendered.count("<ul>") == 2, "the reasons and the warnings"
    assert len(re.findall(r"<t[hd]\b", rendered)) == 8
    seen = unescape(re.sub("<[^>]*>", "", rendered))
    assert not re.search(r"@\w|#\d|://|www\.", seen)
    assert seen.replace("\u2060", "").count(text) == 6


def test_a_change_without_a_message_is_named_by_its_commit() -> None:
    found = replace(result(ChangeVerdict.PROVEN, "proven"), change=replace(CHANGE, subject=""))
    assert "\nNo subject (`abc123def`, a change of behavior)\n" in markdown(ProveReport([found]))


def test_the_comment_of_a_huge_change_fits_into_one_of_github() -> None:
    """65,536 characters, of which the comment takes at most 60,000 bytes, and no table is cut."""
    row = TestRow("t.py::" + "é|" * 90, "added", "vacuous_test", "failed: " + "<ü>" * 90, "passed" + "@" * 90)
    one = replace(
        result(ChangeVerdict.VACUOUS_TEST, "vacuous_test"),
        reasons=("ß" * 400,) * 9, tests=(row,) * 99, warnings=("[" * 400,) * 20,
    )  # fmt: skip
    for count in (1, 2, 60):
        text = markdown(ProveReport([one] * count))
        assert len(text.encode()) <= 60_000
        assert text.rstrip().endswith("</sub>")
        assert text.count("\nfeat: ") + text.count("\n❌ feat: ") >= min(count, 2)
        if count == 60:
            assert re.search(r"… and \d+ more changes\.", text)


def test_the_comment_is_found_again_and_escapes_what_it_quotes() -> None:
    text = markdown(REFUSED)
    assert text.startswith(f"{MARK}\n")
    assert "Not proven: a new test cannot fail" in text
    assert "@everybody" not in text
    assert "<script>" not in text
    (row,) = [line for line in text.splitlines() if "| test\\_a" in line]
    assert row.count("|") - row.count("\\|") == 5


def test_the_comment_says_what_to_do_and_every_verdict_has_a_phrase() -> None:
    assert "**To do:** Let the test compare what the new code returns or does." in markdown(REFUSED)
    assert "To do" not in markdown(PROVEN)
    assert "vacuous_test" not in markdown(REFUSED), "words, not codes"
    assert set(MEANING) == set(ChangeVerdict)


def test_statements_name_the_commit_and_what_was_shown() -> None:
    results, verified = (json.loads(line) for line in lines(PROVEN, NOW, None))
    assert {one["_type"] for one in (results, verified)} == {"https://in-toto.io/Statement/v1"}
    assert results["subject"] == [{"name": "git:abc123def", "digest": {"gitCommit": "a" * 40}}]
    assert results["predicateType"].endswith("/test-result/v0.1")
    assert results["predicate"]["result"] == "PASSED"
    assert results["predicate"]["passedTests"] == ["t.py::test_a"]
    assert results["predicate"]["warnedTests"] == [], "a skipped test is not one that ran with warnings"
    assert verified["predicateType"].endswith("/svr/v0.2")
    assert verified["predicate"]["timeCreated"] == "2026-01-02T03:04:05Z"
    assert set(verified["predicate"]["properties"]) == {
        "TDD_PROVEN",
        "TDD_CLASS_BEHAVIOR",
        f"TDD_BASE_{'b' * 40}",
    }


def test_a_refused_change_has_no_verification_result() -> None:
    (only,) = (json.loads(line) for line in lines(REFUSED, NOW, None))
    assert only["predicateType"].endswith("/test-result/v0.1")


def test_an_envelope_is_signed_with_the_key_of_git(tmp_path: Path) -> None:
    """The signature is checked with ssh-keygen itself, over the bytes that DSSE defines."""
    repository = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    for name, value in (("gpg.format", "ssh"), ("user.signingKey", str(key))):
        subprocess.run(["git", "config", name, value], cwd=repository, check=True)
    with Git(repository / ".git") as git:
        envelopes = [json.loads(line) for line in lines(PROVEN, NOW, git_signer(git))]
    assert len(envelopes) == 2
    for envelope in envelopes:
        validate(envelope, report_schemas.ENVELOPE)
        assert envelope["payloadType"] == "application/vnd.in-toto+json"
        assert re.fullmatch(r"SHA256:[\w+/]{43}", envelope["signatures"][0]["keyid"]), (
            "not a path of this machine"
        )
    payload = base64.b64decode(envelopes[1]["payload"])
    assert json.loads(payload)["predicateType"].endswith("/svr/v0.2")
    signature = tmp_path / "sig"
    signature.write_bytes(base64.b64decode(envelopes[1]["signatures"][0]["sig"]))
    signers = tmp_path / "signers"
    signers.write_text(f"ada {key.with_suffix('.pub').read_text()}")
    check = [
        "ssh-keygen",
        "-Y",
        "verify",
        "-n",
        "dsse",
        "-I",
        "ada",
        "-f",
        str(signers),
        "-s",
        str(signature),
    ]
    good = pre_authentication(payload)
    assert subprocess.run(check, input=good, capture_output=True, check=False).returncode == 0
    assert subprocess.run(check, input=good + b" ", capture_output=True, check=False).returncode != 0


@pytest.mark.skipif(shutil.which("gpg") is None, reason="needs gpg")
def test_an_envelope_is_signed_with_a_gpg_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signature is checked with gpg itself, over the bytes that DSSE defines."""
    repository, home = (
        tmp_path / "repository",
        Path(tempfile.mkdtemp(prefix="gpg-", dir="/tmp")),
    )  # a short path
    home.chmod(0o700)
    monkeypatch.setenv("GNUPGHOME", str(home))
    identity = "Ada <ada@example.org>"
    make = (
        "gpg",
        "--batch",
        "--quiet",
        "--passphrase",
        "",
        "--quick-gen-key",
        identity,
        "ed25519",
        "sign",
        "never",
    )
    try:
        subprocess.run(make, check=True, capture_output=True)
        subprocess.run(["git", "init", "-q", str(repository)], check=True)
        program, used = tmp_path / "own-gpg", tmp_path / "used"
        program.write_text(f'#!/bin/sh\ntouch {used}\nexec gpg "$@"\n')
        program.chmod(0o755)
        for name, value in (("user.signingKey", "ada@example.org"), ("gpg.program", str(program))):
            subprocess.run(["git", "config", name, value], cwd=repository, check=True)
        with Git(repository / ".git") as git:
            envelope = json.loads(next(lines(PROVEN, NOW, git_signer(git))))
        validate(envelope, report_schemas.ENVELOPE)
        assert used.exists(), "git names the program that signs"
        signed, signature = tmp_path / "signed", tmp_path / "signature"
        signature.write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
        good = pre_authentication(base64.b64decode(envelope["payload"]))
        for data, code in ((good, 0), (good + b" ", 1)):
            signed.write_bytes(data)
            check = ["gpg", "--batch", "--verify", str(signature), str(signed)]
            assert subprocess.run(check, capture_output=True, check=False).returncode == code
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], check=False, capture_output=True)
        shutil.rmtree(home, ignore_errors=True)


def test_a_key_that_git_holds_as_text_signs_by_the_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, socket = tmp_path / "key", Path(tempfile.mkdtemp(dir="/tmp"), "agent")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    with subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.DEVNULL) as agent:
        try:
            while not socket.exists():
                time.sleep(0.01)
            monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
            subprocess.run(["ssh-add", "-q", str(key)], check=True)
            key.unlink()
            subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
            public = key.with_suffix(".pub").read_text().strip()
            for form in (f"key::{public}", public):
                subprocess.run(["git", "config", "gpg.format", "ssh"], cwd=tmp_path, check=True)
                subprocess.run(["git", "config", "user.signingKey", form], cwd=tmp_path, check=True)
                with Git(tmp_path / ".git") as git:
                    keyid, signature = git_signer(git)(b"data")
                assert keyid.startswith("SHA256:")
                assert b"BEGIN SSH SIGNATURE" in signature
        finally:
            agent.terminate()
            shutil.rmtree(socket.parent)


def test_without_a_key_nothing_is_signed(tmp_path: Path) -> None:
    from tdd_orchestrator.model.errors import Refused

    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "config", "gpg.format", "ssh"], cwd=tmp_path, check=True)
    with Git(tmp_path / ".git") as git, pytest.raises(Refused):
        git_signer(git)
