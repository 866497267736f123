"""Every prompt is shown whole: a change of a role or a part is seen as a change of these files."""

from __future__ import annotations

import pytest

from tdd_orchestrator.prompting.templates import ROLES

from .prompts_document import DOCUMENT, GOLDEN, document, prompts
from .test_compose import FULL, PHASE_OF

ANEW = "write it anew: PYTHONPATH=tests python -m prompting.prompts_document"


def current() -> dict[str, tuple[str, str]]:
    return prompts(FULL, PHASE_OF)


@pytest.mark.parametrize("role", ROLES)
def test_the_prompt_of_a_role_is_the_golden_one(role: str) -> None:
    first, retry = current()[role]
    assert (GOLDEN / f"{role}.md").read_text("utf-8") == first, ANEW
    assert (GOLDEN / f"{role}-retry.md").read_text("utf-8") == retry, ANEW


def test_the_sizes_are_documented() -> None:
    assert DOCUMENT.read_text("utf-8") == document(current()), ANEW


@pytest.mark.parametrize("role", ROLES)
def test_every_role_is_told_of_its_time_and_that_nobody_answers(role: str) -> None:
    first, _ = prompts(FULL, PHASE_OF)[role]
    assert "Nobody answers questions" in first
