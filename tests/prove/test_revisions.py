"""Which two trees `tdd prove` compares."""

from __future__ import annotations

import pytest
from change_repository import CODE, TEST, Repository

from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.prove.revisions import find_changes, find_staged, find_worktree
from tdd_orchestrator.prove.values import ChangeRange


def changes(repository: Repository, wanted: str = "", *, each: bool = False) -> list[ChangeRange]:
    with OpenRepository(repository.root) as opened:
        return find_changes(opened.git, opened.objects, wanted, each=each)


def test_on_the_trunk_its_newest_commit(repository: Repository) -> None:
    base = repository.git("rev-parse", "HEAD")
    head = repository.commit("feat: more", {"calc.py": CODE + "\n"})
    (change,) = changes(repository)
    assert (change.base, change.head, change.subject) == (base, head, "feat: more")


def test_on_a_branch_everything_since_the_trunk(repository: Repository) -> None:
    fork = repository.git("rev-parse", "HEAD")
    repository.git("switch", "-q", "-c", "feature")
    repository.commit("feat: one", {"one.py": "ONE = 1\n"})
    head = repository.commit("feat: two", {"two.py": "TWO = 2\n"})
    repository.git("switch", "-q", "main")
    repository.commit("chore: meanwhile", {"other.py": "OTHER = 1\n"})
    repository.git("switch", "-q", "feature")
    (change,) = changes(repository)
    assert (change.base, change.head) == (fork, head), "the merge base, not the trunk's newest commit"
    assert [one.subject for one in changes(repository, "main..feature", each=True)] == [
        "feat: one",
        "feat: two",
    ]
    (same,) = changes(repository, "main...feature")
    assert same.base == fork


def test_a_merge_commit_of_a_forge_is_compared_with_the_target(repository: Repository) -> None:
    repository.git("switch", "-q", "-c", "feature")
    repository.commit("feat: one", {"one.py": "ONE = 1\n"})
    repository.git("switch", "-q", "main")
    target = repository.commit("chore: meanwhile", {"other.py": "OTHER = 1\n"})
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    (change,) = changes(repository, "HEAD")
    assert change.base == target


def test_a_merge_of_the_target_into_its_branch_is_compared_with_the_target(repository: Repository) -> None:
    """What it brings is no change of the branch: by its first parent, the target's work would be judged once
    more."""
    repository.git("switch", "-q", "-c", "feature")
    first = repository.commit("feat: one", {"one.py": "ONE = 1\n"})
    repository.git("switch", "-q", "main")
    target = repository.commit("chore: meanwhile", {"other.py": "OTHER = 1\n"})
    repository.git("switch", "-q", "feature")
    repository.git("merge", "-q", "--no-ff", "-m", "merge main", "main")
    found = changes(repository, "main..feature", each=True)
    assert [(one.subject, one.head == first) for one in found] == [("feat: one", True), ("feat: one", False)]
    assert found[1].base == target


def test_a_claim_is_read_where_every_commit_makes_it(repository: Repository) -> None:
    repository.commit("x\n\nTdd-Class: refactor", {"one.py": "ONE = 1\n"})
    assert changes(repository, "HEAD")[0].claim == "refactor"
    repository.commit("y", {"one.py": "ONE = 2\n"})
    assert changes(repository, "HEAD~2..HEAD")[0].claim == ""


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("refactor: one", "refactor"),
        ("perf(parser)!: one", "refactor"),
        ("style: one", "refactor"),
        ("Refactor the parser", ""),
        ("fix: one", ""),
        ("chore: one", ""),
        ("refactor: one\n\nTdd-Class: behavior", "behavior"),
    ],
)
def test_a_conventional_subject_claims_a_refactoring(
    repository: Repository, message: str, claim: str
) -> None:
    repository.commit(message, {"one.py": "ONE = 1\n"})
    assert changes(repository, "HEAD")[0].claim == claim
    file = repository.root.parent / "message"
    file.write_text(f"{message}\n")
    (repository.root / "one.py").write_text("ONE = 2\n")
    repository.git("add", "one.py")
    with OpenRepository(repository.root) as opened:
        assert find_staged(opened.git, opened.objects, "", file)[0].claim == claim


def merged(repository: Repository, *messages: str) -> ChangeRange:
    """A forge's merge of a branch with these commits, as one change."""
    repository.git("switch", "-q", "-c", "feature")
    for number, message in enumerate(messages):
        repository.commit(message, {"one.py": f"ONE = {number}\n"})
    repository.git("switch", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge 1234567 into 89abcde", "feature")
    (change,) = changes(repository, "HEAD")
    return change


def test_a_forge_s_merge_claims_what_the_commits_it_brings_claim(repository: Repository) -> None:
    """A merge commit that a forge writes has no trailer."""
    assert merged(repository, "x\n\nTdd-Class: refactor", "y\n\nTdd-Class: refactor").claim == "refactor"


def test_a_forge_s_merge_claims_nothing_where_one_of_its_commits_does_not(repository: Repository) -> None:
    assert merged(repository, "x\n\nTdd-Class: refactor", "y").claim == ""


def test_a_change_of_several_commits_is_called_by_its_first_one(repository: Repository) -> None:
    """The newest of a branch is often a correction, and a forge's merge says nothing."""
    change = merged(repository, "feat: one", "fix: a word", "fix: another")
    assert change.subject == "feat: one (and 2 more commits)"
    assert changes(repository, "main~1..feature")[0].subject == change.subject
    assert changes(repository, "feature~1..feature")[0].subject == "fix: another"


def test_a_merge_of_one_commit_is_called_by_it(repository: Repository) -> None:
    assert merged(repository, "feat: one").subject == "feat: one"
    assert changes(repository, "main~1..main", each=True)[-1].subject == "feat: one"


def test_what_is_staged_and_what_lies_there(repository: Repository) -> None:
    head = repository.git("rev-parse", "HEAD")
    repository.write({"calc.py": CODE + "STAGED = 1\n"})
    repository.git("add", "calc.py")
    repository.write({"tests/test_calc.py": TEST + "\n# later\n", "new.py": "NEW = 1\n"})
    before = repository.git("status", "--porcelain")
    with OpenRepository(repository.root) as opened:
        (staged,) = find_staged(opened.git, opened.objects, "Ada <ada@example.org>")
        (there,) = find_worktree(opened.git, opened.objects, repository.root, "Ada <ada@example.org>")
    assert staged.base == there.base == head
    assert repository.git("diff", "--name-only", head, staged.head) == "calc.py"
    assert repository.git("diff", "--name-only", head, there.head).split() == [
        "calc.py",
        "new.py",
        "tests/test_calc.py",
    ]
    assert repository.git("status", "--porcelain") == before, "the index is as it was"


@pytest.mark.parametrize("wanted", ["nothing-here", "HEAD..HEAD", "--output=x"])
def test_what_is_no_range_is_refused(repository: Repository, wanted: str) -> None:
    with pytest.raises(Refused):
        changes(repository, wanted)


def test_nothing_staged_is_refused(repository: Repository) -> None:
    with OpenRepository(repository.root) as opened, pytest.raises(Refused):
        find_staged(opened.git, opened.objects, "")
