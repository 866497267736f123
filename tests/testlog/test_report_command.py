"""``tdd report read``: usable alone on any log, from the installed command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SAMPLE = Path(__file__).parent / "samples" / "vitest" / "vitest2" / "output.txt"


def tdd(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "tdd_orchestrator", "report", "read", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=60)


def test_json_has_every_field_of_the_contract() -> None:
    done = tdd(str(SAMPLE), "--exit-code", "1", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert (found["schema"], found["v"], found["verdict"], found["framework"]) == (
        "tdd/report",
        1,
        "failed",
        "vitest",
    )
    assert found["counts"] == {
        "passed": 2,
        "failed": 1,
        "errors": 0,
        "skipped": 2,
        "xfailed": 0,
        "xpassed": 0,
    }
    assert found["failing"] == ["vt/a.spec.js > calc > adds wrong"]
    assert found["first_failure"] == {
        "file": "vt/a.spec.js",
        "line": 2,
        "message": "expected 4 to be 5 // Object.is equality\n- Expected\n+ Received\n- 5\n+ 4",
        "type": "AssertionError",
    }
    assert found["build_error"] is False
    assert {"cases", "build_errors", "why", "disagreements", "source", "exit_code"} <= found.keys()


def test_standard_input_and_human_text() -> None:
    done = tdd("-", "--exit-code", "0", stdin=SAMPLE.read_bytes())
    text = done.stdout.decode()
    assert done.returncode == 0
    assert text.startswith("failed: ")
    assert "Runner: vitest" in text
    assert "vt/a.spec.js > calc > adds wrong" in text
    assert "Disagreement: text: failed; exit code: 0" in text


def test_a_report_file_is_heard(tmp_path: Path) -> None:
    report = tmp_path / "r.xml"
    report.write_text('<testsuite><testcase classname="A" name="one"/></testsuite>', encoding="utf-8")
    done = tdd("-", "--exit-code", "0", "--report", str(report), "--json")
    found = json.loads(done.stdout)
    assert (found["verdict"], found["source"], found["counts"]["passed"]) == ("passed", "report", 1)


def test_a_missing_file_is_a_usage_error() -> None:
    done = tdd("no-such-file.log")
    assert done.returncode == 2
    assert b"cannot read no-such-file.log" in done.stderr
    assert b"Traceback" not in done.stderr


def test_it_starts_without_the_heavy_libraries() -> None:
    script = "import sys; import tdd_orchestrator.cli.report, tdd_orchestrator.testlog as r; r.read(b'', exit_code=0);"
    script += "print(sorted({'pydantic', 'git', 'rich', 'jinja2', 'structlog'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, timeout=60)
    assert done.stdout.decode().strip() == "[]"
