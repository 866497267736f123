"""Configuration: sources in their order, keys merged one by one, mistakes named with file and line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tdd_orchestrator.config.load import load, words
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.cycle.context import WallClock
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
        ("[retry]\nmax_retries = 'many'\n", "tdd.toml:2: retry.max_retries: "),
        (
            "[[test.suite]]\nname = 'a'\ncomand = 'x'\n",
            "tdd.toml:3: [test.suite] unknown key 'comand', did you mean 'command'?",
        ),
        ("[cleanup]\nsintax = 'now'\n", "tdd.toml:2: [cleanup] unknown key 'sintax', did you mean 'syntax'?"),
        ("[agents.mine]\nname = 'x'\ntimeout = 'x'\n", "tdd.toml:2: [agents.mine] unknown key 'name'"),
        ("[agents.mine]\ntimeout = 'x'\n", "tdd.toml:2: agents.mine.timeout: "),
        ("[test\n", "tdd.toml:1: not valid TOML: Expected"),
        ("[test]\nfiles = []\ntimeout = 1 2\n", "tdd.toml:3: not valid TOML: Expected newline"),
        ("[test]\nfiles = [", "tdd.toml:2: not valid TOML: Invalid value at the end of the file."),
        ("[agents]\nreed = 'human'\n", "tdd.toml:2: [agents] unknown key 'reed', did you mean 'red'?"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, "tdd.toml", text)
    with pytest.raises(BadConfig) as caught:
        load(tmp_path, env={})
    assert said in caught.value.what


def test_bytes_that_are_no_text_are_named_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "tdd.toml").write_bytes(b"[test]\ncommand = '\xff'\n")
    with pytest.raises(BadConfig, match=r"tdd\.toml:2: not text"):
        load(tmp_path, env={})


def test_what_has_the_name_and_is_no_file_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "tdd.toml").mkdir()
    with pytest.raises(BadConfig, match=r"tdd\.toml cannot be read: Is a directory"):
        load(tmp_path, env={})
    (tmp_path / "tdd.toml").rmdir()
    (tmp_path / "tdd.toml").symlink_to("nowhere")
    with pytest.raises(BadConfig, match=r"tdd\.toml cannot be read: No such file"):
        load(tmp_path, env={})


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[retry]\nmax_retries = 1\ndelays = [-1]\n", "tdd.toml:3: retry.delays: "),
        ("[retry]\nfix_delays = [1, inf]\n", "tdd.toml:2: retry.fix_delays: "),
        ("[retry]\ndelays = [1e300]\n", "tdd.toml:2: retry.delays: "),
        ("[retry]\ntransient_delay = nan\n", "tdd.toml:2: retry.transient_delay: "),
        ("[test]\ntimeout = inf\n", "tdd.toml:2: test.timeout: "),
        ("[[test.suite]]\nname = 'a'\ncommand = 'b'\ntimeout = nan\n", "tdd.toml:4: test.suite.timeout: "),
        ("[test]\nquarantine_days = 10000000000\n", "tdd.toml:2: test.quarantine_days: "),
        ("[budget]\nminutes = inf\n", "tdd.toml:2: budget.minutes: "),
        ("[budget]\ncost = -1\n", "tdd.toml:2: budget.cost: "),
        ("[budget]\n[agents.mine]\nidle_timeout = inf\n", "tdd.toml:3: agents.mine.idle_timeout: "),
        ("[agents.mine]\ntimeout = -7\n", "tdd.toml:2: agents.mine.timeout: "),
    ],
)
def test_what_is_no_time_and_no_amount_is_refused_where_it_stands(
    tmp_path: Path, text: str, said: str
) -> None:
    write(tmp_path, "tdd.toml", text)
    with pytest.raises(BadConfig) as caught:
        load(tmp_path, env={})
    assert caught.value.what.startswith(said)


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), -float("inf")])
def test_a_recorded_wait_that_is_none_is_not_waited_for(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    WallClock().sleep(seconds)
    assert not any(slept)


def test_a_recorded_wait_without_end_is_one_that_a_machine_can_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    WallClock().sleep(float("inf"))
    assert slept == [31_536_000]


def test_roles_and_agents_come_from_the_environment(tmp_path: Path) -> None:
    write(tmp_path, "tdd.toml", "[agents]\ndefault = 'my-own'\n[agents.my-own]\ncommand = 'a'\n")
    env = {
        "TDD_AGENTS_RED": "human", "TDD_AGENTS_BUILD_DOCTOR": "mine", "TDD_AGENTS_MY_OWN_IDLE_TIMEOUT": "7",
        "TDD_AGENTS_MINE_COMMAND": "true", "TDD_AGENTS_GREEN": "",
    }  # fmt: skip
    loaded = load(tmp_path, env=env)
    agents = loaded.config.agents
    assert agents.roles == {"red": "human", "build-doctor": "mine"}
    assert (agents.named["my-own"].idle_timeout, agents.named["my-own"].command) == (7, "a")
    assert agents.named["mine"].command == "true"
    assert loaded.origins["agents.my-own.idle_timeout"] == "environment"


@pytest.mark.parametrize("name", ["RDE", "DEFAULT_TIMEOUT", "MINE_TIMEOT", "_TIMEOUT"])
def test_what_says_nothing_of_agents_is_no_setting(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadConfig, match=f"environment: TDD_AGENTS_{name}: unknown key"):
        load(tmp_path, env={f"TDD_AGENTS_{name}": "7"})


@pytest.mark.parametrize(
    ("raw", "command"),
    [("true", "true"), ("7", "7"), ("make test", "make test"), ('["a", "b c"]', ["a", "b c"]), ("{}", "{}")],
)
def test_a_text_from_the_environment_stays_text(tmp_path: Path, raw: str, command: object) -> None:
    config = load(
        tmp_path, env={"TDD_TEST_COMMAND": raw, "TDD_TEST_SHELL": "true", "TDD_GITHUB_REPOSITORY": "[1]"}
    )
    assert (config.config.test.command, config.config.test.shell) == (command, True)
    assert config.config.github.repository == "[1]"


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("tdd", True), ("tdd-team", True), ("tdd/team", True), ("tdd-planned", True), ("tdd.v1", True),
        ("tdd-plan", False), ("tdd-plan/x", False), ("tdd/../x", False), ("tdd/", False), ("tdd//x", False),
        ("tdd.lock", False), ("tdd/.x", False), ("tdd.", False), ("tdd\n", False), ("other", False), ("tddé", False),
    ],
)  # fmt: skip
def test_the_ref_of_the_trail_is_one_that_git_takes_and_not_the_plans(
    tmp_path: Path, name: str, good: bool
) -> None:
    env = {"TDD_NOTES_REF": f"refs/notes/{name}"}
    if good:
        assert load(tmp_path, env=env).config.notes.ref == env["TDD_NOTES_REF"]
        return
    with pytest.raises(BadConfig, match="environment: TDD_NOTES_REF: "):
        load(tmp_path, env=env)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("TDD_RETRY_DELAYS", "", 'it must be a list, such as [1, 2] or ["a", "b"].'),
        ("TDD_RETRY_MAX_RETRIES", "many", "it must be a whole number, such as 3."),
        ("TDD_RETRY_MAX_RETRIES", "-1", "it must be greater than or equal to 0."),
        ("TDD_TEST_SHELL", "perhaps", "it must be true or false."),
        ("TDD_AGENTS_MY_OWN_TIMEOUT", "long", "it must be a number, such as 1.5."),
    ],
)
def test_a_variable_of_another_shape_is_named_with_what_it_takes(
    tmp_path: Path, variable: str, value: str, said: str
) -> None:
    write(tmp_path, "tdd.toml", '[agents.my-own]\ncommand = "a"\n')
    with pytest.raises(BadConfig) as raised:
        load(tmp_path, env={variable: value})
    assert raised.value.what == f"environment: {variable}: {said}"


def test_the_defaults_of_retries_stand_in_one_place(tmp_path: Path) -> None:
    """``RetryPolicy`` has them; the configuration, the template and the documents follow it."""
    from tdd_orchestrator.app.suites import FoundTests
    from tdd_orchestrator.cli.init import tdd_toml
    from tdd_orchestrator.config.schema import RetryConfig
    from tdd_orchestrator.model.policy import RetryPolicy
    from tdd_orchestrator.runners.detect import detect

    assert RetryConfig().policy() == RetryPolicy()
    template = tdd_toml(FoundTests(detect(tmp_path, "pytest"), "pytest", False, ()), "claude")
    assert f"# max_retries = {RetryPolicy().max_retries}\n# delays = {[*RetryPolicy().delays]} " in template
    product = Path(__file__).parents[1] / "tdd_orchestrator"
    numbers = [
        path.relative_to(product).as_posix()
        for path in product.rglob("*.py")
        if re.search(
            r"[\[(]1(\.0)?, 2(\.0)?, 4(\.0)?[\])]|5(\.0)?, 10(\.0)?, 20(\.0)?[\])]", path.read_text("utf-8")
        )
    ]
    assert numbers == ["model/policy.py"]
