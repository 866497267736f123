"""The Error Analyzer's report: written, read back, refused with sentences, doubted; and filled without a model."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tdd_orchestrator.diagnosis.analyzer import ADVICE, PastAttempt, investigate
from tdd_orchestrator.diagnosis.classify import classify
from tdd_orchestrator.diagnosis.investigation import (
    Belief,
    Investigation,
    NotAnInvestigation,
    believable,
    parse,
    write,
)
from tdd_orchestrator.model.diagnosis import Action, Category, Diagnosis, ErrorType, RoutingType, Severity
from tdd_orchestrator.model.report import Case, Comparison, Outcome

WHOLE = Investigation(
    category=Category.LOGIC,
    severity=Severity.MEDIUM,
    recoverable=True,
    root_cause="app/user.py returns None: nobody checks it.",
    evidence=("app/user.py:8 AttributeError", "the test passes an empty list"),
    strategy="Check the lookup first",
    action=Action.REPLAN,
    diagnosis_confidence=Belief(0.8, "the frame shows it"),
    recommendation_confidence=Belief(0.6),
    steps=("Read app/user.py", "Return early"),
    alternatives=("Raise an error",),
    patterns=(("diagnostic-patterns", "a null: dereference"),),
)
LOOSE = """Here is what I found.

### **1. Classification**
* **Category:** `logic`
* **Severity:** Medium
* **Recoverable:** Yes, easily

#### Root Cause Analysis
app/user.py returns None:
nobody checks it.

### Evidence
1) app/user.py:8 AttributeError

### Pattern analysis
#### diagnostic-patterns
- a null dereference

### Recommendation
**Strategy**: Check the lookup first
#### Recommended steps
1. Read app/user.py

### Confidence
- Diagnosis confidence: 80 % (the frame shows it)
- Recommendation confidence: medium

### Action for the lead: REPLAN
**Action**: REPLAN
"""


def test_written_and_read_back() -> None:
    assert parse(write(WHOLE)) == WHOLE


def test_loose_markdown_is_read() -> None:
    found = parse(LOOSE)
    assert (found.category, found.severity, found.action, found.recoverable) == (
        Category.LOGIC,
        Severity.MEDIUM,
        Action.REPLAN,
        True,
    )
    assert found.root_cause == "app/user.py returns None: nobody checks it."
    assert found.evidence == ("app/user.py:8 AttributeError",)
    assert found.patterns == (("diagnostic-patterns", "a null dereference"),)
    assert found.diagnosis_confidence == Belief(0.8, "the frame shows it")
    assert found.recommendation_confidence.level == 0.6


@pytest.mark.parametrize("fence", ["{}", "Here:\n```json\n{}\n```\n"])
def test_json_is_read(fence: str) -> None:
    data = {
        "classification": {"category": "LOGIC", "severity": "MEDIUM", "recoverable": True},
        "root_cause": WHOLE.root_cause,
        "evidence": list(WHOLE.evidence),
        "patterns": dict(WHOLE.patterns),
        "recommendation": {
            "strategy": WHOLE.strategy,
            "steps": list(WHOLE.steps),
            "alternatives": list(WHOLE.alternatives),
        },
        "confidence": {"diagnosis": {"level": 0.8, "reason": "the frame shows it"}, "recommendation": 0.6},
        "action": "REPLAN",
    }
    assert parse(fence.replace("{}", json.dumps(data))) == WHOLE


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("category: LOGIC", "category: LOGICAL", "The category is 'LOGICAL'"),
        ("severity: MEDIUM", "", "The severity is missing"),
        ("REPLAN", "DELETE", "The action is 'DELETE'"),
        ("recoverable: yes", "recoverable: perhaps", "recoverable"),
        ("0.80", "8", "confidence of the diagnosis"),
        ("0.60", "NaN", "confidence of the recommendation"),
        ("strategy: Check the lookup first", "", "The strategy is missing"),
    ],
)
def test_wrong_values_are_named(old: str, new: str, sentence: str) -> None:
    with pytest.raises(NotAnInvestigation) as caught:
        parse(write(WHOLE).replace(old, new))
    assert any(sentence in one for one in caught.value.sentences)


@pytest.mark.parametrize(
    "text", ["", "I could not find out.", "{", "{}", "[]", "# x\n" * 1000, '{"a":' * 5000]
)
def test_what_was_not_asked_for_is_refused(text: str) -> None:
    with pytest.raises(NotAnInvestigation) as caught:
        parse(text)
    assert caught.value.sentences


def test_claims_about_missing_files_are_not_believed() -> None:
    known = ["app/user.py", "src/pkg/deep.ts"]
    assert believable(WHOLE, known) == []
    invented = replace(
        WHOLE,
        root_cause="lib/ghost.py calls pkg/deep.ts",
        evidence=("see app/nope.py:3", "https://h/x.html", "/usr/lib/python3/os.py"),
    )
    assert believable(invented, known) == [
        "The root cause names lib/ghost.py, which is not in the tree.",
        "The evidence names app/nope.py, which is not in the tree.",
    ]


def failure(text: str, **changes: object) -> Diagnosis:
    return replace(classify(text), **changes)  # type: ignore[arg-type]


NULL = "Traceback (most recent call last):\n  File \"/repo/app/user.py\", line 8, in greet\n    u.name\nAttributeError: 'NoneType' object has no attribute 'name'"


@pytest.mark.parametrize(
    ("text", "history", "action"),
    [
        (NULL, 0, Action.REPLAN),
        (NULL, 1, Action.ESCALATE),
        ("httpx.ReadTimeout: timed out", 0, Action.RETRY),
        ("httpx.ReadTimeout: timed out", 2, Action.RETRY),
        ("httpx.ReadTimeout: timed out", 3, Action.ESCALATE),
        ("src/app.ts(2,7): error TS2322: Type 'a' is not assignable to type 'b'.", 0, Action.REPLAN),
        ("src/app.ts(2,7): error TS2322: Type 'a' is not assignable to type 'b'.", 1, Action.FALLBACK),
        ("ERROR 1062 (23000) at line 1: Duplicate entry 'a' for key 'email'", 0, Action.ROLLBACK),
        ("ModuleNotFoundError: No module named 'x'", 0, Action.RETRY),
        ("ModuleNotFoundError: No module named 'x'", 1, Action.ESCALATE),
        ("mkdir: cannot create directory '/etc/x': Permission denied", 0, Action.ESCALATE),
        ("cp: error writing 'x': No space left on device", 0, Action.ESCALATE),
        ("42", 0, Action.REPLAN),
    ],
)
def test_without_a_model(text: str, history: int, action: Action) -> None:
    one = failure(text)
    found = investigate([one], history=[PastAttempt("a", "still_failing", (one.fingerprint,))] * history)
    assert found.action is action
    assert parse(write(found)) == found
    assert believable(found, ["app/user.py", "src/app.ts"]) == []


def test_where_no_test_ran_there_is_no_frame_to_read() -> None:
    nothing = Diagnosis(
        RoutingType.UNKNOWN,
        error_type=ErrorType.LOGIC,
        category=Category.LOGIC,
        message="the agent changed nothing",
    )
    assert "Read the failing frame and its test." in investigate([nothing]).steps
    found = investigate([replace(nothing, rule="verdict:no_change")])
    assert found.steps[0] == "Read what the agent said, and what it changed."
    assert not any("frame" in step for step in found.steps)


def test_a_regression_is_rolled_back_and_told() -> None:
    old = failure("ValueError: other", history="before", tests=("t::0",))
    one = failure(NULL, history="regression", triggers=("app/user.py",), tests=("t::1",))
    case = Case("t::1", "t1", Outcome.FAILED)
    found = investigate([old, one], Comparison(newly_failing=(case,)), ["app/user.py", "app/b.py"])
    assert found.action is Action.ROLLBACK
    assert "app/user.py:8" in found.root_cause
    assert "The change to app/user.py brought it." in found.root_cause
    assert any("1 newly failing" in row for row in found.evidence)
    assert any("t::1" in row for row in found.evidence)
    assert any(skill == "recovery-strategies" for skill, _ in found.patterns)


@pytest.mark.parametrize(
    ("message", "ending"), [("assert 9 == 4", "4. The"), ("it is gone.", "gone. The"), ("why?", "why? The")]
)
def test_the_cause_and_what_brought_it_are_two_sentences(message: str, ending: str) -> None:
    one = replace(failure("assert 9 == 4"), message=message, history="regression", triggers=("a.py",))
    assert f"{ending} change to a.py brought it." in investigate([one]).root_cause


def test_no_diagnosis_at_all() -> None:
    found = investigate([])
    assert found.action is Action.REPLAN
    assert found.diagnosis_confidence.level == 0
    assert parse(write(found)) == found


def test_every_category_has_advice() -> None:
    assert set(ADVICE) == {*Category, None}
