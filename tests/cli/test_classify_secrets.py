"""What ``tdd errors classify`` prints holds no part of a secret, wherever its message is cut."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from tdd_orchestrator.cli.errors import classify

KEY = "Zq8vKp3LmN7xRt2WyB5cDf9GhJ4sAeUo"


@pytest.mark.parametrize("before", [270, 280, 975, 985])
def test_no_part_of_a_secret_is_left_where_a_message_is_cut(
    before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", KEY)
    said = ("KeyError: " + "no " * 400)[:before] + KEY + " no" * 400
    shown = CliRunner().invoke(classify, ["--json", "-"], input=said)
    assert shown.exit_code == 0
    assert not any(KEY[at : at + 8] in shown.output for at in range(0, 25, 8))
