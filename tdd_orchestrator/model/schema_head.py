"""Opening text of docs/notes-format.md: what a note is, and how to read it with plain git."""

from __future__ import annotations

HEAD = """\
# What a note holds

<!-- Written by `python -m tdd_orchestrator.model.schema` from model/records.py; a test keeps it in step. -->

Records live in Git Notes under `refs/notes/tdd`, one JSON object a line. `at`, `id`, `v` and `kind` come first, so that
sorting the lines as bytes sorts them by time; the last line of a note is the commit's current state. A line is at most
64 KiB, a note at most 256 KiB: where it would grow beyond that, its older lines become one blob, and a line of the kind
`folded` (`blob`, `lines`) names it. Bulk (every case of a run) is a blob of its own below `refs/tdd/evidence`, named in
the record as `evidence`.

Version 1 is the only one so far. Notes of every version are read for ever (`tests/golden/`). A line of a newer version
is refused with a sentence, never guessed at. Fields may be added within a version: readers pass over what they do not
know, and take a field that holds something else than it should for an empty one. The JSON Schema is in the package:
`tdd_orchestrator/schema/record.schema.json`; each field is described there too.

## Reading it with plain git

```sh
git notes --ref=tdd show HEAD                       # the records of a commit
git notes --ref=tdd show HEAD | tail -n 1           # the newest of them
git log --notes=tdd                                 # the history, with its records
git log --reverse refs/notes/tdd                    # the audit log, in order
git log -1 --format=%B refs/notes/tdd               # the newest record, with its trailers
git show EVIDENCE                                   # every case of a test run, as JSON
git for-each-ref refs/tdd                           # refused attempts, cycles, evidence: kept from gc
git fetch origin 'refs/notes/tdd:refs/notes/tdd'    # without tdd; `tdd sync` also merges
```

Each notes commit is one record: its message has a subject for people, the line itself, and trailers: `Annotates`
(commit), `Record` (id), `Hash` (SHA-256 of the line) and a `Moves` for each ref that follows. The line's `prev` is the
hash of the newest line before it; after a sync the audit log is a graph, in which every `prev` still names an earlier line.
With `notes.sign = true` the notes commits are signed in git's own format (`git verify-commit refs/notes/tdd`).

Commits of a cycle carry the trailers `Tdd-Cycle` and `Tdd-Phase`.

## In every record

"""
