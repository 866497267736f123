"""What marks plan items failed in one repository: `tdd plan mark-failed` and the API."""

from __future__ import annotations

import os

from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.failures.mark_failed import Marker
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.redaction import redactor
from tdd_orchestrator.repo import refs


def marker(repository: OpenRepository) -> Marker:
    """Refused where the repository has no commit to put the report on."""
    git = repository.git
    head = git.line("rev-parse", "--verify", "--quiet", "HEAD", ok=(0, 1))
    if not head:
        raise Refused(
            "The repository has no commit yet.", "Commit something first; a report is put on a commit."
        )
    branch = refs.head_branch(git)
    outside = ("post",) if repository.config.github.repository else ()
    return Marker(repository.store, repository.plan_repository, head, branch, redactor(os.environ), outside)
