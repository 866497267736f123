"""Writes docs/notes-format.md and the shipped JSON Schema from the models: ``python tests/audit/notes_format.py``.

A test compares what stands with what this would write.
"""

from __future__ import annotations

import json
import re
import sys
import typing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from pydantic import BaseModel  # noqa: E402

from tdd_orchestrator.model import parts, records  # noqa: E402

DOCUMENT = ROOT / "docs" / "notes-format.md"
SCHEMA = ROOT / "tdd_orchestrator" / "schema" / "record.schema.json"

WORDS = {
    "source": "the commit that the records hang on",
    "how": "by what it was found: tree or patch",
    "at": "when it was written, UTC, to the millisecond; later than the record before it",
    "id": "ULID, unique in the trail",
    "v": "version of this format",
    "kind": "which kind of record this is",
    "prev": "SHA-256 of the line of the record before; empty in the first",
    "cycle_id": "the cycle, as in the commit trailer Tdd-Cycle; empty outside of a cycle",
    "cycle_number": "the cycle's number in this repository, from 1",
    "item_id": "the item of the test list",
    "item": "its title",
    "branch": "the user's branch that the cycle lands on",
    "base": "the commit that the cycle started from",
    "tip": "the newest accepted commit of the cycle",
    "phase": "PLAN, RED, GREEN, REFACTOR or COMPLETE: what the record is about",
    "next_phase": "what follows; ABORTED where the cycle is given up",
    "attempt": "number of the attempt in its phase, from 1",
    "retry_count": "counted retries of the phase before this attempt",
    "wall": "seconds that the command worked since its record before; while nothing ran, nothing is counted",
    "consulted": "agents that were only asked since then (Error Analyzer, planner), see *Agent*",
    "known_good": "true: one whole run of the suite succeeded on exactly this tree",
    "tests": "the test run, see *Test run*; empty where nothing was run",
    "known_failing": "failures before the cycle that the user knows of, by test id",
    "baseline_tests": "the run of the suite on `base`",
    "role": "the agent's role: red, green, refactor, analyze, or a specialist's name",
    "agent": "the agent, see *Agent* (in a *move*: the name of another agent than the role's own)",
    "wait": "seconds waited before the agent started",
    "on": "the commit that the agent was given",
    "transient": "transport retries used in this phase",
    "status": "accepted or given_up; rejected; open or closed; begun, done or failed; of an agent: success, failed, error, agent_failed; of a fix: started, accepted, rejected, away, settled or ended",
    "fix_id": "the `tdd fix` that it belongs to, as in the commit trailer Tdd-Fix",
    "verdict": "what the gate said",
    "reasons": "why, one sentence each",
    "files_changed": "paths, see *Files changed*",
    "completed_items": "ids of finished items",
    "pending_items": "ids of items to come",
    "summary": "for whoever goes on: at most 1,500 characters of the agent's own report, or 280 of an error",
    "candidate": "the commit that was judged; empty where the agent changed nothing",
    "tree": "the tree of that commit (in a test run: the tree that was run)",
    "patch_id": "git's stable patch id of an accepted change",
    "quarantined": "flaky test of an earlier cycle -> date until which it counts as flaky",
    "questions": "the answers to the counterfactual questions, see *Questions*; null where none was asked",
    "poison": "a failing statement at the end of each target test, see *Question*",
    "shift": "other expected values in each target test, see *Question*",
    "stub": "the functions that GREEN changed raise, or return nothing, see *Question*",
    "functions": "the functions that were replaced, as path: name",
    "asked": "target tests that were asked",
    "not_asked": "target test -> why it was not asked: no claim",
    "removed_tests": "existing tests that RED took out; a person agreed, unless `proof.removed_tests` allows it",
    "changed_tests": "existing tests that RED changed, so that they fail until the new behaviour is there",
    "for_red": "what is wrong with the test, where no implementation can make it pass (GREEN)",
    "asks": "`covered`: the item seems covered, and a person is to say so",
    "warnings": "what did not stop the phase and should be known",
    "error": "what is wrong, in one sentence",
    "error_details": "type and message",
    "diagnosis": "routing type, error type, category, severity, place and evidence",
    "fingerprint": "the same for failures with the same root cause",
    "diff": "the rejected change, bounded",
    "move": "what recovery chose next, see *Move*",
    "investigation": "the Error Analyzer's report, parsed",
    "incident": "incident id of a failed agent run",
    "old": "where the ref was",
    "new": "where it goes",
    "outcome": "landed, already_covered, aborted, cancelled or rolled_back",
    "commit": "the commit that the cycle ended on",
    "error_id": "the error report, err_YYYYMMDD_HHMMSS",
    "error_type": "syntax, type, logic, dependency, integration, test, build, lint, timeout or resource",
    "hint": "what the person told the next agent",
    "mapping": "commit before -> commit after",
    "kept": "ref that keeps what was undone",
    "decision": "wanted, approved or rejected",
    "gate": "after_failures or before_landing",
    "by": "who decided",
    "comment": "what they said",
    "details": "what else is known",
    "reason": "why it was closed or opened again",
    "outside": "what is to be told elsewhere: notify, post",
    "report": "the whole error report",
    "step": "notify, post, fix or notify_stop",
    "why": "the reason, in words",
    "results": "what happened to each test, as many as there is room for",
    "agents": "agents that worked on it",
    "cured_by": "what cured it",
    "reused": "an earlier fix cured this one as well",
    "name": "the agent's name in the configuration",
    "model": "the model it said it used",
    "session": "its own session id",
    "version": "its version",
    "request": "what the specialist was told: step, error, place, SQL, console, network",
    "seconds": "how long it ran",
    "tokens": "all tokens, the sum of the next four, also of a run that failed or timed out; 0 where nothing is known",
    "input_tokens": "input that came from no cache",
    "cached_tokens": "input read from a cache",
    "cache_creation_tokens": "input written to a cache",
    "output_tokens": "output, reasoning included",
    "turns": "requests to the model",
    "cost": "US dollars; null where neither the client nor the table of prices says it",
    "cost_from": "who says the cost: client, or prices (the table in the configuration)",
    "fault": "what was wrong with its provider or with itself",
    "last_words": "the end of its final answer, at most 500 characters, without secrets",
    "said": "what the last words are, where it brought no work: refusal, question, already_there or missing_package",
    "exit_code": "of the process; 128+n for signal n",
    "failure_reason": "why the run does not count as finished",
    "transcript": "file name below the state folder of the machine that ran it",
    "command": "the test command's words",
    "framework": "who wrote the report",
    "key": "names the run: tree, command and environment",
    "run_verdict": "passed, failed, error, no_tests, crashed, timed_out or unreadable",
    "counts": "how many tests had which outcome (in a *move*: whether it uses up a retry)",
    "target_tests": "the tests that RED proved, at most 200",
    "failing_tests": "the tests that failed, at most 200; the evidence has all",
    "flaky_tests": "tests that failed in one run of the whole suite and passed in another",
    "quarantined_until": "flaky test -> date until which its failure leads to reruns and not to a refusal",
    "disagreements": "where exit code, report and text said different things",
    "control": "of records before the plain run: whether a planted test that must fail did fail; null otherwise",
    "evidence": "blob with every case of the run (in a fix: with every result, where the record has not room for them)",
    "evidence_sha256": "SHA-256 of its content",
    "passed": "tests that passed", "failed": "failed in their call (in a *Question*: target tests that failed, as they must)", "errors": "failed around it", "skipped": "skipped",
    "xfailed": "failed as expected", "xpassed": "passed against expectation",
    "type": "kind of the error", "message": "its first words",
    "delay": "seconds to wait", "on_candidate": "go on from what was refused", "longer": "factor on the time limit",
    "signalled": "the completion signal that it was given was in its output",
    "shorter": "the prompt is cut: it was larger than the model's context",
    "until": "when the provider's limit ends, as it said; nothing is started on this agent before",
    "note": "an instruction for the next attempt, in its prompt",
    "feedback": "what the next agent is told",
    "added": "new paths", "modified": "changed paths", "deleted": "paths that are gone",
}  # fmt: skip
"""What each field means; a field without words fails the test."""

PARTS: list[tuple[str, type[BaseModel]]] = [
    ("Test run", parts.TestEvidence),
    ("Counts", parts.CountsInfo),
    ("Agent", parts.AgentInfo),
    ("Error details", parts.ErrorDetails),
    ("Move", parts.MoveInfo),
    ("Files changed", parts.FilesChanged),
    ("Questions", parts.QuestionsInfo),
    ("Question", parts.QuestionInfo),
]

HEAD = """\
# What a note holds

<!-- Written by tests/audit/notes_format.py from tdd_orchestrator/model/records.py; a test keeps it in step. -->

Records live in Git Notes under `refs/notes/tdd`, one JSON object a line. `at`, `id`, `v` and `kind` come first, so that
sorting the lines as bytes sorts them by time; the last line of a note is the commit's current state. A line is at most
64 KiB, a note at most 256 KiB: where it would grow beyond that, its older lines become one blob, and a line of the kind
`folded` (`blob`, `lines`) names it. Bulk (every case of a run) is a blob of its own below `refs/tdd/evidence`, named in
the record as `evidence`.

Version 1 is the only one so far. Notes of every version are read for ever (`tests/golden/`). A line of a newer version
is refused with a sentence, never guessed at. Fields may be added within a version: readers pass over what they do not
know. The JSON Schema is in the package: `tdd_orchestrator/schema/record.schema.json`.

## Reading it with plain git

```sh
git notes --ref=tdd show HEAD                       # the records of a commit
git notes --ref=tdd show HEAD | tail -n 1           # the newest of them
git log --notes=tdd                                 # the history, with its records
git log --reverse refs/notes/tdd                    # the audit trail, in order
git log -1 --format=%B refs/notes/tdd               # the newest record, with its trailers
git show EVIDENCE                                   # every case of a test run, as JSON
git for-each-ref refs/tdd                           # refused attempts, cycles, evidence: kept from gc
git fetch origin 'refs/notes/tdd:refs/notes/tdd'    # without tdd; `tdd sync` also merges
```

Each notes commit is one record: its message has a subject for people, the line itself, and trailers: `Annotates`
(commit), `Record` (id), `Hash` (SHA-256 of the line) and a `Moves` for each ref that follows. The line's `prev` is the
hash of the newest line before it; after a sync the trail is a graph, in which every `prev` still names an earlier line.
With `notes.sign = true` the notes commits are signed in git's own format (`git verify-commit refs/notes/tdd`).

Commits of a cycle carry the trailers `Tdd-Cycle` and `Tdd-Phase`.

## In every record

"""


def document() -> str:
    """The whole of docs/notes-format.md."""
    common = records.Record.model_fields
    text = HEAD + _table(records.Record, skip=())
    text += "\n## Kinds\n"
    for kind in _kinds():
        fields = [name for name in kind.model_fields if name not in common]
        doc = " ".join((kind.__doc__ or "").split())
        doc = "" if doc == " ".join((records.Record.__doc__ or "").split()) else doc
        text += f"\n### {kind.model_fields['kind'].default}\n\n" + (f"{doc}\n\n" if doc else "")
        text += _table(kind, skip=tuple(common)) if fields else "Nothing more.\n"
    text += (
        "\nA commit that was proven again on a moved branch has a `handoff` with an empty `cycle_id`; its `rebased` names "
        "the cycle.\n\n## Parts\n"
    )
    for title, part in PARTS:
        text += f"\n### {title}\n\n" + _table(part, skip=())
    return text


def schema() -> str:
    """The whole of record.schema.json."""
    data = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A record of tdd",
        **records.json_schema(),
    }
    return json.dumps(data, indent=1, sort_keys=True) + "\n"


def _kinds() -> list[type[BaseModel]]:
    return list(typing.get_args(typing.get_args(records.AnyRecord)[0]))


def _table(model: type[BaseModel], skip: tuple[str, ...]) -> str:
    rows = ["| field | type | default | meaning |", "|---|---|---|---|"]
    for name, field in model.model_fields.items():
        if name in skip:
            continue
        default = "required" if field.is_required() else _default(field.default)
        rows.append(f"| `{name}` | {_type(field.annotation)} | {default} | {WORDS[name]} |")
    return "\n".join(rows) + "\n"


def _default(value: Any) -> str:
    return "empty" if isinstance(value, BaseModel) or value in ("", [], {}) else f"`{json.dumps(value)}`"


def _type(annotation: Any) -> str:
    text = (
        annotation.__name__
        if isinstance(annotation, type) and not typing.get_args(annotation)
        else str(annotation)
    )
    text = re.sub(r"tdd_orchestrator\.model\.\w+\.|typing\.", "", text)
    text = re.sub(r"Literal\['(\w+)'\]", r'"\1"', text)
    return f"`{text}`".replace(" | ", " or ").replace("NoneType", "null").replace("None", "null")


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
    SCHEMA.parent.mkdir(exist_ok=True)
    SCHEMA.write_text(schema(), encoding="utf-8")
