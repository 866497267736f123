"""Every role's prompt for one full brief, as files in ``golden/``, and their sizes as ``docs/prompts.md``.

Written anew by: PYTHONPATH=tests python -m prompting.prompts_document
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.prompting.brief import Brief, Try
from tdd_orchestrator.prompting.compose import compose
from tdd_orchestrator.prompting.templates import ROLES, find_role

GOLDEN = Path(__file__).parent / "golden"
DOCUMENT = Path(__file__).parents[2] / "docs" / "prompts.md"
_CHARACTERS = 4  # of English text and code, about, in one token

HEAD = """# Prompts and their sizes

Each role's prompt is composed from a file in `prompts/` (or your own in `.tdd/prompts/`) and the state of the cycle;
`tdd prompts show ROLE` prints one. Sizes of a first attempt and of a retry with an error and a diff, for one small example; about
four characters are one token. Written by `tests/prompting/prompts_document.py`; a test keeps it current.

| role | first attempt: characters | tokens, about | retry: characters | tokens, about |
|---|---|---|---|---|
"""


DIFF = """diff --git a/tests/test_cart.py b/tests/test_cart.py
+def test_empty_total():
+    assert Cart().total() == 0
"""
TRIED = Try(
    1,
    Verdict.STILL_FAILING,
    ("test_empty_total still fails: assert None == 0",),
    "diff --git a/shop/cart.py b/shop/cart.py\n+    def total(self):\n+        return None\n",
    "Done: added total(). Assumed: nothing. Doubts: none.",
)


def prompts(full: Brief, phases: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Role to its prompt at a first attempt, and as a retry; without the user's own skills."""
    found = {}
    for role in ROLES:
        retry = replace(full, phase=phases[role], minutes=15, cycle_diff=DIFF, tries=(TRIED,))
        first = replace(
            retry,
            attempt=1,
            tries=(),
            diagnosis=None,
            investigation="",
            known_fix="",
            broken_tests=(),
            context="",
            problem="",
        )
        card = find_role(role, None)
        found[role] = compose(card, first), compose(card, retry)
    return found


def document(found: dict[str, tuple[str, str]]) -> str:
    """The table of sizes."""
    rows = [
        f"| `{role}` | {len(first)} | {len(first) // _CHARACTERS} | {len(retry)} | {len(retry) // _CHARACTERS} |"
        for role, (first, retry) in found.items()
    ]
    return HEAD + "\n".join(rows) + "\n"


def write(found: dict[str, tuple[str, str]]) -> None:
    """Write the golden files and the table."""
    GOLDEN.mkdir(exist_ok=True)
    for role, (first, retry) in found.items():
        (GOLDEN / f"{role}.md").write_text(first, encoding="utf-8")
        (GOLDEN / f"{role}-retry.md").write_text(retry, encoding="utf-8")
    DOCUMENT.write_text(document(found), encoding="utf-8")


if __name__ == "__main__":
    from prompting.test_prompts_document import current

    write(current())
