"""The rules of diagnosis: rows of data by family. A new sign is one row with its sample."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules import (
    compilers,
    database,
    failed_tests,
    lint,
    more_languages,
    network,
    packages,
    raised_in,
    resources,
    runtime,
    services,
    tools,
    ui,
    web_build,
)
from tdd_orchestrator.diagnosis.rules.row import LINE_LIMIT, Rule, Zone

_MODULES = (
    database, ui, network, services, resources, packages, web_build, compilers, more_languages,
    lint, failed_tests, raised_in, runtime, tools,
)  # fmt: skip
RULES: tuple[Rule, ...] = tuple(rule for module in _MODULES for rule in module.RULES)

__all__ = ["LINE_LIMIT", "RULES", "Rule", "Zone"]
