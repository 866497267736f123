"""Secrets leave text; ids that look random stay."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from tdd_orchestrator.cycle.evidence import encode
from tdd_orchestrator.events import log
from tdd_orchestrator.failures.escalation import redacted_report
from tdd_orchestrator.failures.report import Context, build
from tdd_orchestrator.model.reading import read_as
from tdd_orchestrator.model.records import Trouble
from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict
from tdd_orchestrator.notes.codec import encode as encode_note
from tdd_orchestrator.redaction import SHAPES, Redact, Shape, keys, redact, redacted_cut, redactor
from tdd_orchestrator.runners.neutral import neutral_env
from tdd_orchestrator.runners.redacted_run import redact_report
from tdd_orchestrator.text import plain

ROOT = Path(__file__).parents[1]
SAMPLES = [
    pytest.param(shape, text, id=f"{shape.name}-{n}")
    for shape in SHAPES
    for n, text in enumerate(shape.samples)
]
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75\nabc+/=\n-----END RSA PRIVATE KEY-----"


def find_secrets(text: str) -> list[str]:
    return list(dict.fromkeys(kind for kind, _ in keys(text)))


def test_every_shape_has_samples() -> None:
    assert [shape.name for shape in SHAPES if not shape.samples] == []


@pytest.mark.parametrize(("shape", "text"), SAMPLES)
def test_sample_is_taken_out(shape: Shape, text: str) -> None:
    out = redact(f"before {text} after")
    assert f"[redacted:{shape.name}]" in out
    assert out.startswith("before ")
    assert out.endswith(" after")
    assert redact(out) == out
    assert (shape.name in find_secrets(f"key = '{text}'")) is shape.key


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f2504e04f8941d39a0c0305e82c3301d2f1a0b9",
        "sha256:" + "9f86d081884c7d659a2feaa0c55ad015" * 2,
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "tests/test_auth.py::TestLogin::test_password[token=abcdef123456-secret]",
        "FAILED tests/test_auth.py::test_secret_key_is_required - KeyError: 'API_KEY'",
        "def login(password: str, token: str = None) -> bool:",
        "token = get_token(request)",
        "SyntaxError: Unexpected token: identifier",
        "password=os.environ['PASSWORD']",
        'api_key = "your-key-here"',
        "at Module._compile (node:internal/modules/cjs/loader:1521:14)",
        "risk-assessment-of-the-largest-customers-in-europe",
        "http://127.0.0.1:8080/a@b",
        "index 83db48f..bf269f4 100644",
        "cache_key-d41d8cd98f00b204e9800998ecf8427e",
        "err_20261121_101112_ab12cd",
    ],
)
def test_what_is_no_secret_survives(text: str) -> None:
    assert redact(text) == text
    assert find_secrets(text) == []


@pytest.mark.parametrize("before", ["_", "k_", "-", "(", "'", "\u00e9"])
def test_a_key_is_seen_behind_what_is_no_letter_of_it(before: str) -> None:
    key = "sk-ant-api03-" + "Zq9" * 20
    assert find_secrets(f"{before}{key}.txt") == ["anthropic"]
    assert key not in redact(f"{before}{key}.txt")
    assert find_secrets(f"{before}AKIAQ3EGRZ7XMPL4TTYD_old") == ["aws-access-key"]


def test_literal_values_in_every_spelling() -> None:
    secret = 'p"ss wörd/+1'
    text = " ".join(
        [secret, quote(secret, safe=""), base64.b64encode(secret.encode()).decode(), r"p\"ss w\u00f6rd/+1"]
    )
    out = redact(text, [secret])
    assert "rd" not in out.replace("redacted", "")
    assert out.count("[redacted]") == 4


def test_short_values_are_not_literals() -> None:
    assert redact("a test in 3 files", ["3", "test", ""]) == "a test in 3 files"


def test_a_value_inside_a_longer_one() -> None:
    assert redact("abcdef-abcdefghij", ["abcdef", "abcdefghij"]) == "[redacted]-[redacted]"


def test_private_keys_whole_escaped_and_cut() -> None:
    assert redact(f"x {KEY} y") == "x [redacted:private-key] y"
    assert redact('"' + KEY.replace("\n", "\\n") + '"') == '"[redacted:private-key]"'
    assert "MIIE" not in redact(KEY[:50])
    assert find_secrets(KEY) == ["private-key"]


def test_two_keys_one_cut_off() -> None:
    out = redact(f"{KEY[:45]}\n{KEY}\nafter")
    assert "MII" not in out
    assert out.endswith("after")


def test_assignment_keeps_its_name() -> None:
    assert redact("DB_PASSWORD=hunter2hunter2 x=1") == "DB_PASSWORD=[redacted:assignment] x=1"
    assert redact("postgres://app:hunter22@db/shop") == "postgres://app:[redacted:basic-auth-url]@db/shop"


@pytest.mark.parametrize(
    "unit",
    [
        "x" * 99 + "\n",
        "password ",
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "eyJhbGciOiJIUzI1NiJ9.",
        "eyJ-",
        "a://b:",
        "sk-aaaaaaaa",
        "token='",
        "AA0123456789:",
    ],
)
def test_linear_on_megabytes(unit: str) -> None:
    def seconds(size: int) -> float:
        text = (unit * (size // len(unit) + 1))[:size]
        start = time.process_time()
        redact(text, ["a-literal-secret"])
        return time.process_time() - start

    small, large = seconds(500_000), seconds(2_000_000)
    assert large < 1.6
    assert large < max(small, 0.05) * 4 * 2


@pytest.mark.parametrize(
    "mark", ["\u200b", "\x1b[0m", "\x1b[1;31m", "\x00", "\u2060", "\r", "\x1b]8;;x\x07"], ids=ascii
)
def test_a_key_that_is_put_together_where_the_text_is_shown_is_taken_out(mark: str) -> None:
    key = "sk-ant-api03-" + "Zq9" * 20
    for text in (f"got {key[:9]}{mark}{key[9:]}", f"got {key[:9]}{mark}{key[9:]}, and {key}\n\x1b[1mdone"):
        assert key[-12:] not in plain(redact(text))
    assert "hunter2" not in plain(redact(f"by hunt{mark}er2hunter2", ["hunter2hunter2"]))


def test_marks_without_a_key_stay() -> None:
    text = "\x1b[31mFAILED\x1b[0m tests/test_a.py\u200b::test_b\r\n"
    assert redact(text) == text


SECRET_NAMES = [
    "API_KEY",
    "API_KEYS",
    "APIKEY",
    "MY_API_KEY",
    "API_TOKEN",
    "API_TOKENS",
    "GITHUB_TOKEN",
    "GITHUB_PAT",
    "CLIENT_SECRET",
    "CLIENT_SECRETS",
    "SECRET",
    "SECRETS",
    "SECRET_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SESSION_TOKEN",
    "DB_PASSWORD",
    "PASSWORD",
    "PASSWORDS",
    "MYSQL_PWD",
    "PGPASSWORD_FILE_PASS",
    "SSH_PASSPHRASE",
    "SIGNING_KEY",
    "PRIVATE_KEY",
    "ENCRYPTION_KEY",
    "CREDENTIALS",
    "GOOGLE_CREDENTIALS",
    "SERVICE_CREDS",
    "NPM_TOKEN",
    "NPM_AUTH",
    "BASIC_AUTH",
    "SENTRY_DSN",
    "DATABASE_DSN",
    "JWT",
    "AUTH_JWT",
    "SESSION_COOKIE",
    "SLACK_WEBHOOK",
    "TOKEN_2",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "HF_TOKEN",
    "db_password",
]
PLAIN_NAMES = [
    "PWD",
    "OLDPWD",
    "HOME",
    "PATH",
    "AUTHOR",
    "GIT_AUTHOR_NAME",
    "KEYBOARD",
    "MONKEY",
    "TOKENIZERS_PARALLELISM",
    "SSH_AUTH_SOCK",
    "PATTERN",
    "SECRETARY",
]


def test_one_predicate_says_which_names_are_secret() -> None:
    from tdd_orchestrator.redaction import is_secret_name

    assert len(SECRET_NAMES) >= 40
    assert [name for name in SECRET_NAMES if not is_secret_name(name)] == []
    assert [name for name in PLAIN_NAMES if is_secret_name(name)] == []


VALUE = "correct-horse-battery"
SAID = f"the server said {VALUE}, twice: {VALUE}"


def _evidence(redact: Redact) -> str:
    case = Case("t", "t", Outcome.FAILED, message=SAID, detail=SAID)
    return encode(redact_report(Report(RunVerdict.FAILED, cases=(case,), why=SAID), redact)).decode()


def _report(redact: Redact) -> str:
    trouble = read_as(
        Trouble, {"kind": "error", "error": SAID, "error_details": {"type": "X", "message": SAID}}
    )
    built = build(trouble, Context("err_1", "2026-01-01", "GREEN", SAID))
    return json.dumps(redacted_report(built, redact).data())


def _prompt(redact: Redact) -> str:
    return redacted_cut(SAID, 1000, redact)


def _note(redact: Redact) -> str:
    return encode_note({"at": "1", "id": "1", "v": 1, "kind": "error", "summary": redact(SAID)}).decode()


SINKS = (_evidence, _report, _prompt, _note)


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_values_of_secret_names_reach_no_sink(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Notes, evidence, prompts, reports and logs, and the environment of the tests."""
    redact = redactor({name: VALUE})
    for sink in SINKS:
        written = sink(redact)
        assert VALUE not in written
        assert "[redacted]" in written
    assert name not in neutral_env(tmp_path, {name: VALUE, "PATH": "/bin"})
    monkeypatch.setenv(name, VALUE)
    monkeypatch.setenv("TDD_LOG", "json")
    log("agent run failed", "warning", reason=SAID, refs=[SAID])
    logged = capsys.readouterr().err
    assert VALUE not in logged
    assert "[redacted]" in logged


@pytest.mark.parametrize("name", PLAIN_NAMES)
def test_values_of_plain_names_stay(name: str) -> None:
    assert redactor({name: VALUE})(SAID) == SAID


def test_a_name_is_judged_in_one_place() -> None:
    """No other pattern for names of secrets stands in the product."""
    product = ROOT / "tdd_orchestrator"
    found = {
        path.relative_to(product).as_posix()
        for path in product.rglob("*.py")
        for line in path.read_text("utf-8").upper().splitlines()
        if "TOKEN" in line and "SECRET" in line and "|" in line
    }
    assert found == {"redaction.py"}
