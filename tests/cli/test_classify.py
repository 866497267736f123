"""``tdd errors classify``: the public face of diagnosis."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from pace import within

KEYS = [
    "schema",
    "v",
    "routing_type",
    "secondary",
    "error_type",
    "category",
    "severity",
    "confidence",
    "evidence",
    "rule",
    "file",
    "line",
    "message",
    "exception",
    "fingerprint",
    "specialist",
    "warning",
]
TYPE = b"src/app.ts(2,7): error TS2322: Type 'string' is not assignable to type 'number'.\n"


def tdd(*words: str, data: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "tdd_orchestrator", "errors", "classify", *words]
    return subprocess.run(command, input=data, capture_output=True, cwd=cwd, timeout=60, check=False)


def test_json_from_standard_input() -> None:
    done = tdd("-", "--json", data=TYPE)
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert list(found) == KEYS
    assert (found["schema"], found["v"]) == ("tdd/diagnosis", 1)
    assert (found["routing_type"], found["error_type"], found["specialist"]) == (
        "build-error",
        "type",
        "build-doctor",
    )
    assert (found["file"], found["line"], found["secondary"]) == ("src/app.ts", 2, None)


def test_a_file_and_text_for_people(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_bytes(TYPE)
    done = tdd("out.txt", cwd=tmp_path)
    assert b"build-error" in done.stdout
    assert b"src/app.ts:2" in done.stdout


def test_unknown_is_honest() -> None:
    found = json.loads(tdd("--json", data=b"42\n\xff\xfe").stdout)
    assert (found["routing_type"], found["error_type"], found["category"], found["file"]) == (
        "unknown",
        None,
        None,
        None,
    )
    assert found["warning"] == "Error type unknown, using default agent"
    assert found["specialist"] == "debugger"


def test_a_file_that_is_missing_is_refused() -> None:
    done = tdd("nope.txt", "--json")
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"Cannot read nope.txt" in done.stderr


def test_paths_under_the_current_folder_become_relative(tmp_path: Path) -> None:
    text = f'Traceback (most recent call last):\n  File "{tmp_path}/app/x.py", line 3, in f\nKeyError: 1\n'
    found = json.loads(tdd("--json", data=text.encode(), cwd=tmp_path).stdout)
    assert (found["file"], found["line"]) == ("app/x.py", 3)


def test_escapes_do_not_reach_the_terminal() -> None:
    done = tdd(data=b"\x1b]0;evil\x07\x1b[31mValueError: \x1b[0mbad\xe2\x80\xae\n")
    assert b"\x1b" not in done.stdout
    assert "\u202e".encode() not in done.stdout


def test_ten_megabytes_are_quick() -> None:
    start = time.monotonic()
    found = json.loads(
        tdd("--json", data=b"x" * 5_000_000 + b"\nValueError: bad\n" + b"y\n" * 2_500_000).stdout
    )
    assert found["schema"] == "tdd/diagnosis"
    assert time.monotonic() - start < within(5)


def test_secrets_are_not_printed_and_names_survive() -> None:
    token, commit = "ghp_" + "a1B2c3D4" * 4 + "e5F6", "9fceb02d0ae598e95dc970b74767f19372d61af8"
    text = f"ValueError: {token} refused at {commit} in tests/test_a.py::test_b\n"
    done = tdd("-", "--json", data=text.encode())
    assert token.encode() not in done.stdout
    assert commit.encode() in done.stdout
    assert b"tests/test_a.py::test_b" in done.stdout


def test_other_encodings_and_languages() -> None:
    found = json.loads(tdd("-", "--json", data="KeyError: 'total'\n".encode("utf-16")).stdout)
    assert found["exception"] == "KeyError"
    for text in (
        'ОШИБКА:  отношение "orders" не существует\n',
        "psql: erreur : la connexion au serveur sur « localhost » (127.0.0.1), port 5432 a échoué : Connexion refusée\n",
    ):
        found = json.loads(tdd("-", "--json", data=text.encode()).stdout)
        assert found["routing_type"] == "database-error", text
