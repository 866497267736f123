"""Score the reading of test runs on a corpus of real outputs, through the public command.

``corpus.py [the options of score.py]`` runs the corpus' own score over ``tdd report read``.
``corpus.py read --output FILE --exit-code N [...]`` is the adapter that the score calls, once for each case.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve()
CORPUS = HERE.parents[1].parent / "shared" / "corpus"
_THEIR_WORD = {"timed_out": "timeout", "unreadable": "unknown"}  # our verdicts in the corpus' words


def adapt(arguments: list[str]) -> int:
    """The score's arguments to ``tdd report read``; its JSON to the score's."""
    options = dict(zip(arguments[::2], arguments[1::2], strict=True))
    command = [sys.executable, "-m", "tdd_orchestrator", "report", "read", options.pop("--output"), "--json"]
    for name, value in options.items():
        command += [name, value]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(done.stderr)
        return done.returncode
    found = json.loads(done.stdout)
    found["verdict"] = _THEIR_WORD.get(found["verdict"], found["verdict"])
    print(json.dumps(found, ensure_ascii=False))
    return 0


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["read"]:
        return adapt(arguments[1:])
    score = CORPUS / "score.py"
    if not score.is_file():
        print(f"Skipped: no corpus at {CORPUS.parent.name}/{CORPUS.name} beside the project.")
        return 0
    cases = [] if "--cases" in arguments else ["--cases", str(CORPUS / "dev")]
    command = [sys.executable, str(score), *cases, *arguments, "--", sys.executable, str(HERE), "read"]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
