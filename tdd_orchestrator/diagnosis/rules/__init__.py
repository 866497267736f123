"""The rules of diagnosis: rows of data by family. A new sign is one row with its sample."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules import (
    compilers,
    database,
    failed_tests,
    lint,
    more_languages,
    more_linters,
    network,
    packages,
    raised_in,
    rare_languages,
    resources,
    runtime,
    services,
    tools,
    ui,
    web_build,
)
from tdd_orchestrator.diagnosis.rules.row import LINE_LIMIT, Rule, Zone

RULES: tuple[Rule, ...] = (
    *database.RULES,
    *ui.RULES,
    *network.RULES,
    *services.RULES,
    *resources.RULES,
    *packages.RULES,
    *web_build.RULES,
    *compilers.RULES,
    *more_languages.RULES,
    *rare_languages.RULES,
    *lint.RULES,
    *more_linters.RULES,
    *failed_tests.RULES,
    *raised_in.RULES,
    *runtime.RULES,
    *tools.RULES,
)

__all__ = ["LINE_LIMIT", "RULES", "Rule", "Zone"]
