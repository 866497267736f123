"""Read the output and the reports of any test run: ``read`` returns a ``Report``."""

from tdd_orchestrator.testlog.read import read

__all__ = ["read"]
