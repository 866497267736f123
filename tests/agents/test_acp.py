"""Any agent that speaks the Agent Client Protocol, over real standard input and output: what it may do, what its end means."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.agent import AgentStatus, Fault, Reply, Request
from tdd_orchestrator.agents.command import TRANSCRIPT, CommandAgent
from tdd_orchestrator.agents.preset import PRESETS, argv_of
from tdd_orchestrator.agents.table import AgentEnvironment, AgentSettings, make_agent
from tdd_orchestrator.model.errors import BadConfig

pytest.importorskip("acp")
from tdd_orchestrator.agents.acp_bridge import Referee

AGENT = Path(__file__).with_name("acp_scripted.py")
SAID = [{"say": "RED: "}, {"say": "done."}, {"stop": "end_turn"}]


class Talk:
    """One conversation: ``play`` runs a script and gives the reply; ``heard`` is what the agent was told."""

    def __init__(self, folder: Path) -> None:
        self.tree, self.output, self.outside = folder / "tree", folder / "output", folder / "outside"
        for place in (self.tree, self.output, self.outside):
            place.mkdir()
        self.steps, self.notes = folder / "steps.json", folder / "heard.jsonl"

    def play(self, *steps: dict[str, Any], **more: Any) -> Reply:
        self.steps.write_text(json.dumps(steps))
        command = (sys.executable, str(AGENT), str(self.steps), str(self.notes))
        settings = AgentSettings("mine", "acp", command, model=str(more.pop("model", "")))
        agent = make_agent("mine", settings, AgentEnvironment(print))
        given: dict[str, Any] = {"role": "green", "phase": "green", "prompt": "Do it.", "cycle_id": "c-1",
                                 "tree": self.tree, "output": self.output, "timeout": 30.0}  # fmt: skip
        return agent.work(Request(**{**given, **more}))

    def heard(self, what: str) -> list[Any]:
        rows = [json.loads(line) for line in self.notes.read_text().splitlines()]
        return [row[what] for row in rows if what in row]


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk(tmp_path)


def test_a_turn_from_its_greeting_to_its_end(talk: Talk) -> None:
    thought = {"update": {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "hmm"}}}
    call = {
        "update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Run", "status": "completed"}
    }
    asks = {"ask": {"toolCallId": "t", "kind": "execute"}}
    reply = talk.play({"say": "I begin."}, thought, call, {"say": "I ask."}, asks, *SAID)
    assert (reply.status, reply.fault, reply.failure_reason) == (AgentStatus.SUCCESS, Fault.NONE, "")
    assert (reply.text, reply.session, reply.version) == ("RED: done.", "sess-1", "1.2.3")
    assert talk.heard("session/new")[0]["cwd"] == str(talk.tree)
    assert talk.heard("session/prompt")[0]["prompt"] == [{"type": "text", "text": "Do it."}]
    assert "clientCapabilities" not in talk.heard("initialize")[0]  # files and terminals are its own
    assert "I begin." in (talk.output / TRANSCRIPT).read_text()


def test_tokens_where_it_tells_them(talk: Talk) -> None:
    usage = {"totalTokens": 1280, "inputTokens": 1200, "cachedReadTokens": 7, "outputTokens": 80}
    reply = talk.play({"stop": "end_turn", "more": {"usage": usage}})
    assert (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.output_tokens) == (1193, 7, 80)


class TestReferee:
    """The rule itself: what may be done, by kind and by place."""

    @pytest.fixture
    def referee(self, talk: Talk) -> Referee:
        return Referee((talk.tree, talk.output), read_only=False)

    def test_edits_in_its_tree_and_its_output_only(self, talk: Talk, referee: Referee) -> None:
        inside, outside = str(talk.tree / "a.py"), str(talk.outside / "b.py")
        (talk.tree / "link").symlink_to(talk.outside)
        assert referee.may("edit", (inside,))
        assert referee.may("move", (inside, str(talk.output / "report.md")))
        assert not referee.may("delete", (inside, outside))
        assert not referee.may("edit", (str(talk.tree / ".." / "outside" / "b.py"),))
        assert not referee.may("edit", (str(talk.tree / "link" / "b.py"),))
        assert not referee.may("edit", ())  # it does not say what

    def test_reads_and_runs_tests_but_changes_no_mode(self, talk: Talk, referee: Referee) -> None:
        assert referee.may("read", (str(talk.outside / "b.py"),))
        assert referee.may("execute", ())
        assert referee.may("", ())
        assert not referee.may("switch_mode", ())

    @pytest.mark.parametrize(
        "kind", ["edit", "delete", "move", "execute", "fetch", "other", "switch_mode", ""]
    )
    def test_a_reader_may_only_read(self, talk: Talk, kind: str) -> None:
        reader = Referee((talk.tree, talk.output), read_only=True)
        assert not reader.may(kind, (str(talk.tree / "a.py"),))
        assert reader.may("search", (str(talk.tree),))


@pytest.mark.parametrize(("read_only", "edit"), [(False, "yes"), (True, "no")])
def test_its_requests_are_answered(talk: Talk, read_only: bool, edit: str) -> None:
    """Once, and never for good, though that is offered first."""
    inside, outside = ([{"path": str(place / "a.py")}] for place in (talk.tree, talk.outside))
    talk.play(
        {"ask": {"toolCallId": "1", "kind": "edit", "locations": inside}},
        {"ask": {"toolCallId": "2", "kind": "edit", "locations": outside}},
        {"ask": {"toolCallId": "3", "kind": "read", "locations": outside}},
        {"stop": "end_turn"},
        read_only=read_only,
    )
    answers = [one["outcome"] for one in talk.heard("permission")]
    assert [one["outcome"] for one in answers] == ["selected"] * 3
    assert [one["optionId"] for one in answers] == [edit, "no", "yes"]


def test_nothing_is_allowed_for_good(talk: Talk) -> None:
    offer = [{"optionId": kind, "name": kind, "kind": kind} for kind in ("allow_always", "reject_always")]
    ask = {"toolCallId": "1", "kind": "edit", "locations": [{"path": str(talk.tree / "a.py")}]}
    talk.play({"ask": ask, "offer": offer}, {"ask": ask, "offer": offer[:1]}, {"stop": "end_turn"})
    refused, left = (one["outcome"] for one in talk.heard("permission"))
    assert refused["optionId"] == "reject_always"
    assert left == {"outcome": "cancelled"}


def test_what_it_edits_may_be_told_with_the_call_itself(talk: Talk) -> None:
    """The request for permission need not repeat what the call's own announcement said."""
    where = [{"path": str(talk.outside / "b.py")}]
    announced = {
        "sessionUpdate": "tool_call",
        "toolCallId": "t",
        "title": "Edit",
        "kind": "edit",
        "locations": where,
    }
    talk.play({"update": announced}, {"ask": {"toolCallId": "t"}}, {"stop": "end_turn"})
    assert talk.heard("permission")[0]["outcome"]["optionId"] == "no"
    diff = {"toolCallId": "u", "kind": "edit", "content": [
        {"type": "diff", "path": str(talk.tree / "a.py"), "oldText": None, "newText": "x"}]}  # fmt: skip
    talk.play({"ask": diff}, {"stop": "end_turn"})
    assert talk.heard("permission")[1]["outcome"]["optionId"] == "yes"


def test_a_readers_last_words_are_its_report(talk: Talk) -> None:
    report = "# Investigation report\n\n" + "The import fails because calc.py is missing. " * 4
    reply = talk.play({"say": report}, {"stop": "end_turn"}, read_only=True, requires="investigation.md")
    assert reply.status is AgentStatus.SUCCESS
    assert "calc.py is missing" in reply.report


@pytest.mark.parametrize(
    ("steps", "status", "fault", "words"),
    [
        ([{"refuse": {"code": -32000, "message": "Authentication required"}}], AgentStatus.AGENT_FAILED, Fault.AUTH, "Authentication required"),
        ([{"error": {"code": -32603, "message": "Internal error", "data": {"details": "429 Too Many Requests, retry-after: 7"}}}], AgentStatus.AGENT_FAILED, Fault.RATE_LIMITED, "rate limit"),
        ([{"error": {"code": -32603, "message": "Internal error"}}], AgentStatus.AGENT_FAILED, Fault.UNKNOWN, "answered with an error"),
        ([{"error": {"code": -32603, "message": "Internal error", "data": {"details": "Query closed before response received"}}}],
         AgentStatus.AGENT_FAILED, Fault.UNKNOWN, "Query closed"),
        ([{"error": {"code": -32603, "message": "Internal error: API Error: 500 Internal server error"}}],
         AgentStatus.AGENT_FAILED, Fault.API_ERROR, "500"),
        ([{"error": {"code": 529, "message": "Overloaded"}}], AgentStatus.AGENT_FAILED, Fault.OVERLOADED, "overloaded"),
        ([{"say": "Bye."}, {"exit": 3}], AgentStatus.AGENT_FAILED, Fault.PROTOCOL, "ended before it answered"),
        ([{"greet": {"protocolVersion": "many"}}], AgentStatus.AGENT_FAILED, Fault.PROTOCOL, "not of the protocol"),
        ([{"stop": "refusal"}], AgentStatus.FAILED, Fault.REFUSED, "refusal"),
        ([{"stop": "max_tokens"}], AgentStatus.FAILED, Fault.OUTPUT_CUT, "max_tokens"),
        ([{"stop": "max_turn_requests"}], AgentStatus.FAILED, Fault.MAX_TURNS, "max_turn_requests"),
    ],
    ids=["auth", "429", "own", "own words", "500", "529", "died", "greeting", "refusal", "tokens", "turns"],
)  # fmt: skip
def test_what_its_end_means(
    talk: Talk, steps: list[dict[str, Any]], status: AgentStatus, fault: Fault, words: str
) -> None:
    reply = talk.play(*steps)
    assert (reply.status, reply.fault) == (status, fault), reply.failure_reason
    assert words in reply.failure_reason


def test_the_wait_that_a_provider_asks_for_is_read(talk: Talk) -> None:
    data = {"details": "429 Too Many Requests, retry-after: 7"}
    assert talk.play({"error": {"code": -32603, "message": "Internal error", "data": data}}).retry_after == 7


MODELS = [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]
OFFERS = {"configOptions": [
    {"type": "select", "id": "m", "name": "Model", "category": "model", "currentValue": "small", "options": MODELS},
    {"type": "select", "id": "t", "name": "Thinking", "category": "thought_level", "currentValue": "low", "options": MODELS},
]}  # fmt: skip


@pytest.mark.parametrize("grouped", [False, True])
def test_its_model_is_the_one_that_was_named(talk: Talk, grouped: bool) -> None:
    group = {"group": "all", "name": "All", "options": MODELS}
    offers = {"configOptions": [{**OFFERS["configOptions"][0], "options": [group] if grouped else MODELS}]}
    reply = talk.play({"offers": offers}, *SAID, model="large")
    assert (reply.status, reply.model) == (AgentStatus.SUCCESS, "large")
    assert talk.heard("session/set_config_option") == [
        {"sessionId": "sess-1", "configId": "m", "value": "large"}
    ]


@pytest.mark.parametrize(
    ("offers", "words"),
    [(OFFERS, "it offers no model 'huge', but: small, large"), ({}, "it leaves no choice of its model")],
)  # fmt: skip
def test_a_model_that_it_does_not_offer_is_a_persons_to_mend(
    talk: Talk, offers: dict[str, Any], words: str
) -> None:
    reply = talk.play({"offers": offers}, *SAID, model="huge")
    assert (reply.status, reply.fault) == (AgentStatus.AGENT_FAILED, Fault.DENIED)
    assert words in reply.failure_reason
    assert talk.heard("session/prompt") == []


@pytest.mark.parametrize(
    ("can", "method"),
    [
        ({"loadSession": True}, "session/load"), ({"sessionCapabilities": {"resume": {}}}, "session/resume"), ({}, "session/new"),
    ],
)  # fmt: skip
def test_a_session_goes_on_where_it_can(talk: Talk, can: dict[str, Any], method: str) -> None:
    """What an agent says of its past when it takes it up is not its answer."""
    reply = talk.play({"can": can}, *SAID, session="sess-1")
    assert len(talk.heard(method)) == 1
    assert (reply.text, reply.session) == ("RED: done.", "sess-1")


@pytest.mark.parametrize("can", [{"loadSession": True}, {"sessionCapabilities": {"resume": {}}}])
def test_a_session_that_the_agent_has_no_more_begins_afresh(talk: Talk, can: dict[str, Any]) -> None:
    reply = talk.play({"can": can}, *SAID, session="sess-lost")
    assert len(talk.heard("session/new")) == 1
    assert (reply.status, reply.text, reply.session) == (AgentStatus.SUCCESS, "RED: done.", "sess-1")


def test_a_lost_session_is_not_why_the_new_one_failed(talk: Talk) -> None:
    reply = talk.play({"can": {"loadSession": True}}, {"exit": 3}, session="sess-lost")
    assert reply.status is AgentStatus.AGENT_FAILED
    assert "Invalid session" not in reply.failure_reason
    assert "the agent ended before it answered" in reply.failure_reason


def test_a_new_session_that_is_refused_after_a_lost_one_says_why(talk: Talk) -> None:
    refuse = {"code": -32000, "message": "Authentication required"}
    reply = talk.play({"can": {"loadSession": True}}, {"refuse": refuse}, *SAID, session="sess-lost")
    assert (reply.status, reply.fault) == (AgentStatus.AGENT_FAILED, Fault.AUTH)
    assert "Authentication required" in reply.failure_reason


def test_what_is_no_message_is_passed_over(talk: Talk) -> None:
    new_kind = {"update": {"sessionUpdate": "a_kind_of_next_year", "thing": 1}}
    reply = talk.play(
        {"raw": "Debugger attached.\n"}, new_kind, {"raw": '{"jsonrpc":"2.0","method":"_x/y"}\n'}, *SAID
    )
    assert (reply.status, reply.text) == (AgentStatus.SUCCESS, "RED: done.")


def test_a_message_of_several_megabytes(talk: Talk) -> None:
    reply = talk.play({"say": "x" * (3 << 20)}, *SAID)
    assert reply.status is AgentStatus.SUCCESS
    assert reply.text.endswith("RED: done.")


def test_one_that_hangs_is_ended_with_it(talk: Talk) -> None:
    reply = talk.play({"sleep": 300}, timeout=3.0, run_marker="acp-hang")
    assert (reply.timed_out, reply.fault) == ("wall", Fault.TIMEOUT_WALL)
    left = [
        folder
        for folder in Path("/proc").glob("[0-9]*")
        if b"acp_scripted" in _bytes(folder / "cmdline") and b"acp-hang" in _bytes(folder / "environ")
    ]
    assert not left


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_program_that_is_not_there(talk: Talk) -> None:
    agent = make_agent("m", AgentSettings("m", "acp", ("no-such-agent", "acp")), AgentEnvironment(print))
    reply = agent.work(Request("red", "red", "Do it.", talk.tree, talk.output, "c-1"))
    assert (reply.fault, reply.failure_reason) == (
        Fault.NOT_STARTED,
        "did not start: no-such-agent: no such program.",
    )


@pytest.mark.parametrize(
    ("command", "home", "key"),
    [
        (("gemini", "--experimental-acp"), ".gemini/", "GEMINI_API_KEY"),
        (("npx", "@zed-industries/claude-code-acp@0.5"), ".claude/", "ANTHROPIC_API_KEY"),
        (("/opt/bin/codex-acp",), ".codex/", "OPENAI_API_KEY"),
        (("something-else",), "", ""),
    ],
)
def test_an_agent_that_we_know_keeps_its_keys_and_its_places(
    command: tuple[str, ...], home: str, key: str
) -> None:
    agent = make_agent("m", AgentSettings("m", "acp", command), AgentEnvironment(print))
    assert isinstance(agent, CommandAgent)
    assert (home in agent.preset.homes) is bool(home)
    assert (key in agent.preset.keys) is bool(key)


def test_claude_agent_acp_is_led_by_its_name_alone() -> None:
    agent = make_agent("claude-agent-acp", AgentSettings("claude-agent-acp"), AgentEnvironment(print))
    assert isinstance(agent, CommandAgent)
    words = argv_of(agent.preset, agent.command, read_only=True, places={"output": "/o"})
    assert words[-2:] == ["--", "claude-agent-acp"]
    assert "--read-only" in words
    assert agent.preset.parse is events.acp
    for name in ("keys", "homes", "commands", "providers", "switches", "logins"):
        assert getattr(agent.preset, name) == getattr(PRESETS["claude"], name)


def test_a_preset_over_the_protocol_needs_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(BadConfig, match="needs the extra 'acp'"):
        make_agent("m", AgentSettings("m", "claude-agent-acp"), AgentEnvironment(print))


def test_it_needs_a_command_and_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadConfig, match="agent 'acp' has no command"):
        make_agent("acp", AgentSettings("acp"), AgentEnvironment(print))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(BadConfig, match="needs the extra 'acp'"):
        make_agent("m", AgentSettings("m", "acp", ("gemini", "--acp")), AgentEnvironment(print))
