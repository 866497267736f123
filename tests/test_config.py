"""Configuration: sources in their order, keys merged one by one, mistakes named with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.config.load import load, words
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.model.errors import BadConfig


def write(root: Path, name: str, text: str) -> None:
    (root / name).write_text(text)


def test_defaults() -> None:
    config = Config()
    assert config.retry.max_retries == 3
    assert config.retry.delays == [1, 2, 4]
    assert config.retry.fix_delays == [5, 10, 20]
    assert config.test.flaky_reruns == 2


def test_tables_merge_key_by_key_and_origins_are_known(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", '[tool.tdd.test]\ncommand = "make test"\ntimeout = 10\n')
    write(tmp_path, "tdd.toml", "[test]\ntimeout = 20\n")
    loaded = load(tmp_path, env={"TDD_RETRY_MAX_RETRIES": "1"})
    assert (loaded.config.test.command, loaded.config.test.timeout) == ("make test", 20)
    assert loaded.config.retry.max_retries == 1
    assert loaded.origins["test.command"] == "pyproject.toml"
    assert loaded.origins["test.timeout"] == "tdd.toml"
    assert loaded.origins["retry.max_retries"] == "environment"


def test_roles_and_tables_of_agents(tmp_path: Path) -> None:
    write(
        tmp_path,
        "tdd.toml",
        '[agents]\ndefault = "claude"\nred = "mine"\n[agents.mine]\ncommand = ["./a"]\ntimeout = 9\n',
    )
    agents = load(tmp_path, env={}).config.agents
    assert (agents.for_role("red"), agents.for_role("green")) == ("mine", "claude")
    assert agents.named["mine"].timeout == 9


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[test]\ncomand = 'x'\n", "tdd.toml:2: [test] unknown key 'comand', did you mean 'command'?"),
        ("[tset]\n", "tdd.toml:1: unknown key 'tset', did you mean 'test'?"),
        (
            "[agents.mine]\ntimeot = 3\n",
            "tdd.toml:2: [agents.mine] unknown key 'timeot', did you mean 'timeout'?",
        ),
        ("[agents]\ngren = 'x'\n", "unknown key 'gren', did you mean 'green'?"),
        ("[retry]\nmax_retries = 'many'\n", "tdd.toml: retry.max_retries: "),
        ("[test\n", "tdd.toml: not valid TOML"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, "tdd.toml", text)
    with pytest.raises(BadConfig) as caught:
        load(tmp_path, env={})
    assert said in caught.value.what


def test_two_files_are_one_too_many(tmp_path: Path) -> None:
    write(tmp_path, "tdd.toml", "")
    write(tmp_path, ".tdd.toml", "")
    with pytest.raises(BadConfig, match="Both"):
        load(tmp_path, env={})


def test_commands_split_as_a_shell_splits() -> None:
    assert words("pytest -k 'a b'") == ("pytest", "-k", "a b")
    assert words("a | b", shell=True) == ("sh", "-c", "a | b")
    with pytest.raises(BadConfig):
        words("pytest 'x")
