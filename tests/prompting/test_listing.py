"""The Test List agent's answer: JSON and Markdown, and what is wrong with it in words."""

from __future__ import annotations

import contextlib
import json
import re
import time

import pytest
from pace import within

from tdd_orchestrator.model.plan import ItemType, Priority, Status
from tdd_orchestrator.prompting.brief import Brief
from tdd_orchestrator.prompting.compose import compose
from tdd_orchestrator.prompting.listing import MOST, BadList, ParsedList, read_list
from tdd_orchestrator.prompting.templates import find_role

TWO = [
    {"title": "An empty cart has a total of 0", "description": "Not an error.", "type": "behaviour", "priority": "high",
     "test_file": "tests/test_cart.py", "impl_file": "shop/cart.py", "covered": False},
    {"title": "A line adds its price", "type": "bug", "covered": True},
]  # fmt: skip
READ = (
    ParsedList("An empty cart has a total of 0", "Not an error.", ItemType.BEHAVIOUR, Priority.HIGH, "tests/test_cart.py", "shop/cart.py"),
    ParsedList("A line adds its price", type=ItemType.BUG, covered=True),
)  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps({"items": TWO}),
        json.dumps(TWO, indent=2).encode(),
        f"Here is the list:\n\n```json\n{json.dumps({'items': TWO})}\n```\nDone.",
        "# List\n\n- [ ] An empty cart has a total of 0 (high)\n  Not an error.\n  - test: `tests/test_cart.py`\n"
        "  - code: shop/cart.py\n- [x] A line adds its price (bug)\n",
        "1. [ ] An empty cart has a total of 0 (behaviour) (high)\n   Not an error.\n   test_file: tests/test_cart.py\n"
        "   impl_file: shop/cart.py\n2. [ ] A line adds its price (bug)\n   covered by tests/test_line.py\n",
    ],
)
def test_answers_that_are_understood(answer: bytes | str) -> None:
    assert read_list(answer) == READ


def test_the_plans_own_word_for_what_is_there_already() -> None:
    """An agent that has read the plan answers with its ``status``; any other one is not for it to give."""
    rows = [
        {"title": "a", "status": "already_covered"},
        {"title": "b", "status": "planned"},
        {"title": "c", "covered": True},
    ]
    assert [one.covered for one in read_list(json.dumps({"items": rows}))] == [True, False, True]
    with pytest.raises(BadList, match=r"items\[0\]: status must be planned or already_covered"):
        read_list(json.dumps([{"title": "a", "status": "completed"}]))


def test_as_items_of_the_plan() -> None:
    first, second = (listed.item(f"i-{n}", n) for n, listed in enumerate(READ))
    assert (first.id, first.status, first.impl_file, first.order) == (
        "i-0",
        Status.PLANNED,
        "shop/cart.py",
        0,
    )
    assert second.status is Status.ALREADY_COVERED


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("", "the answer is empty"),
        (b"\xff\xfe \x00", "neither JSON nor a Markdown list"),
        ("I could not find anything.", "neither JSON nor a Markdown list"),
        ("[]", "the list has no item"),
        ('{"items": []}', "the list has no item"),
        ('{"items": {}}', "must be"),
        ('{"item": []}', "must be"),
        ('{"items": [', "the JSON cannot be read"),
        ("[" * 100_000, "JSON"),
        ('["a title"]', "items[0]: must be an object, is str"),
        ('[{"titel": "x"}]', "items[0]: title is missing"),
        ('[{"title": 7}]', "items[0]: title must be text, is int"),
        ('[{"title": "' + "x" * 300 + '"}]', "items[0]: title has 300 characters, at most 200"),
        ('[{"title": "x", "type": "epic"}]', "items[0]: type must be one of behaviour, bug, chore"),
        ('[{"title": "x", "priority": 1}]', "items[0]: priority must be one of high, medium, low"),
        ('[{"title": "x", "covered": "yes"}]', "items[0]: covered must be true or false"),
        (
            '[{"title": "x", "test_file": "/etc/passwd"}]',
            "items[0]: test_file must be a path inside the project",
        ),
        (
            '[{"title": "x", "impl_file": "a/../../b"}]',
            "items[0]: impl_file must be a path inside the project",
        ),
        ('[{"title": "x"}, {"title": "X."}]', "items[1]: the same title as items[0]"),
        (json.dumps([{"title": f"t{n}"} for n in range(MOST + 1)]), f"at most {MOST} are taken"),
        ("x" * 600_000, "600000 characters"),
    ],
)
def test_answers_that_are_refused_in_words(answer: bytes | str, words: str) -> None:
    with pytest.raises(BadList, match=re.escape(words)):
        read_list(answer)


def test_all_problems_are_told_but_not_without_end() -> None:
    with pytest.raises(BadList) as caught:
        read_list(json.dumps([{"title": ""}] * 50))
    assert len(caught.value.problems) == 50
    assert str(caught.value).endswith("and 42 more")


def test_hostile_text_is_made_plain() -> None:
    (item,) = read_list(
        json.dumps([{"title": "a\x1b[31m\u202eb\nc", "description": "d\x00\x1b]52;c;AAAA\x07"}])
    )
    assert (item.title, item.description) == ("ab c", "d")


@pytest.mark.parametrize("role", ["test_list", "replan"])
def test_the_prompts_own_example_is_understood(role: str) -> None:
    prompt = compose(find_role(role), Brief(phase="test_list", title="It works"))
    (item,) = read_list("```json\n" + prompt.split("```json\n", 1)[1].split("\n```")[0] + "\n```")
    assert item.title == "An empty cart has a total of 0"


@pytest.mark.parametrize(
    "piece",
    [
        "```\n",
        "- [ ] ",
        "- [ ] a" + " " * 1_900 + "\n",
        "  - test: `",
        "(bug) ",
        "[{",
        "\n  covered",
        "x: y\n",
    ],
)
def test_a_hostile_answer_takes_no_time(piece: str) -> None:
    begun = time.process_time()
    with contextlib.suppress(BadList):
        read_list(piece * (500_000 // len(piece)))
    assert time.process_time() - begun < within(3)
