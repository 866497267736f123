"""Create mutants of chosen lines of Python code with mutmut.

mutmut runs in its own process and folder: it reads settings from its working directory, and code that an agent
wrote is parsed there.
"""

from __future__ import annotations

import difflib
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from tdd_orchestrator import process
from tdd_orchestrator.model.plan import Mutant

_MUTMUT = "mutmut.mutation.file_mutation"
_MOST = 60  # mutants of one file
_SECONDS = 20.0  # time limit of mutmut for one file
_SETTINGS = "[mutmut]\nsource_paths=.\n"


class NoMutants(Exception):
    """mutmut failed; the message is one sentence."""


def available() -> bool:
    try:
        return find_spec(_MUTMUT) is not None
    except ModuleNotFoundError:  # not installed, or a version that is laid out otherwise
        return False


def changed_lines(before: str, after: str) -> frozenset[int]:
    """Return the numbers, from 1, of the lines of ``after`` that ``before`` does not have."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    return frozenset(
        number + 1
        for how, _, _, first, last in matcher.get_opcodes()
        if how in ("insert", "replace")
        for number in range(first, last)
    )


def mutants(
    path: str, text: str, lines: frozenset[int], folder: Path, env: Mapping[str, str]
) -> tuple[Mutant, ...]:
    """Return mutants of these lines, one of each line before a second one of any.

    ``folder`` is a private working folder. Raises NoMutants.
    """
    (folder / "setup.cfg").write_text(_SETTINGS, encoding="ascii")
    done = process.run(
        [sys.executable, "-m", "tdd_orchestrator.runners.mutants"],
        cwd=folder,
        env=env,
        stdin=json.dumps({"path": path, "text": text, "lines": sorted(lines)}).encode(),
        limits=process.Limits(timeout=_SECONDS, head=4 << 20),
    )
    if done.exit_code != 0 or done.error or done.timed_out:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise NoMutants(f"mutmut could not read {path}: {''.join(last) or done.error or 'it took too long'}")
    return tuple(Mutant(**one) for one in json.loads(done.stdout))


def _by_turns(found: Sequence[Mutant]) -> list[Mutant]:
    seen: Counter[int] = Counter()
    ranked = []
    for mutant in found:
        ranked.append((seen[mutant.line], mutant.line, mutant))
        seen[mutant.line] += 1
    return [mutant for _, _, mutant in sorted(ranked, key=lambda one: one[:2])]


def _made(path: str, text: str, lines: set[int]) -> list[Mutant]:
    module, mutations, *_ = import_module(_MUTMUT).create_mutations(path, text, lines)
    before = text.splitlines(keepends=True)
    found = []
    for mutation in mutations:
        after = module.deep_replace(mutation.original_node, mutation.mutated_node).code.splitlines(
            keepends=True
        )
        edits = [
            one
            for one in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
            if one[0] == "replace"
        ]
        if len(edits) == 1:
            _, first, last, new, new_last = edits[0]
            found.append(
                Mutant(
                    path, first + 1, last - first, "".join(before[first:last]), "".join(after[new:new_last])
                )
            )
    return _by_turns(found)[:_MOST]


def _main() -> None:
    asked = json.load(sys.stdin)
    made = _made(asked["path"], asked["text"], set(asked["lines"]))
    sys.stdout.write(json.dumps([asdict(mutant) for mutant in made]))


if __name__ == "__main__":
    _main()
