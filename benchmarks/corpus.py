"""Score the reading of test runs on a corpus of real outputs, through the public command.

``corpus.py [the options of score.py]`` runs the corpus' own score over ``tdd report read``.
``corpus.py read --output FILE --exit-code N [...]`` is the adapter that the score calls, once for each case.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from itertools import chain
from pathlib import Path

HERE = Path(__file__).resolve()
CORPUS = HERE.parents[1].parent / "shared" / "corpus"
_THEIR_WORD = {"timed_out": "timeout", "unreadable": "unknown"}  # our verdicts in the corpus' words


def adapt(arguments: list[str]) -> int:
    """The score's arguments to ``tdd report read``, in this process, which is one start less a case; its JSON to the
    score's."""
    from tdd_orchestrator.cli.app import main as tdd

    options = dict(zip(arguments[::2], arguments[1::2], strict=True))
    sys.argv = ["tdd", "report", "read", options.pop("--output"), "--json", *chain(*options.items())]
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            tdd()
    except SystemExit as leaving:
        if leaving.code:
            return int(leaving.code)
    found = json.loads(printed.getvalue())
    found["verdict"] = _THEIR_WORD.get(found["verdict"], found["verdict"])
    print(json.dumps(found, ensure_ascii=False))
    return 0


def main(arguments: list[str]) -> bool:
    if arguments[:1] == ["read"]:
        return adapt(arguments[1:]) == 0
    score = CORPUS / "score.py"
    if not score.is_file():
        print(f"Skipped: no corpus at {CORPUS.parent.name}/{CORPUS.name} beside the project.")
        return True
    cases = [] if "--cases" in arguments else ["--cases", str(CORPUS / "dev")]
    words = [word for word in arguments if word != "--quick"]
    command = [sys.executable, str(score), *cases, *words, "--", sys.executable, str(HERE), "read"]
    return subprocess.run(command, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
