"""An agent that speaks the Agent Client Protocol over standard input and output and does what its script says.

``python acp_scripted.py STEPS.json HEARD.jsonl``: one step after the other once the prompt is there; what the client
answered goes to HEARD. Written from the protocol's text with nothing but the standard library, so that a mistake of the
library under test is not repeated here.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

STEPS: list[dict[str, Any]] = json.loads(Path(sys.argv[1]).read_text())
HEARD = Path(sys.argv[2])
SESSION = "sess-1"


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def heard(what: str, value: Any) -> None:
    with HEARD.open("a") as file:
        file.write(json.dumps({what: value}) + "\n")


def ask(method: str, **params: Any) -> Any:
    """A request of ours to the client, and its answer."""
    send(id=900, method=method, params={"sessionId": SESSION, **params})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == 900:
            return message.get("result") or {"error": message.get("error")}
    raise SystemExit(1)


def update(**what: Any) -> None:
    send(method="session/update", params={"sessionId": SESSION, "update": what})


OPTIONS = [
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def play(prompt_id: int) -> None:
    for step in STEPS:
        (what, value) = next(iter(step.items()))
        if what == "say":
            update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": value})
        elif what == "update":
            update(**value)
        elif what == "ask":
            heard(
                "permission",
                ask("session/request_permission", toolCall=value, options=step.get("offer", OPTIONS)),
            )
        elif what == "raw":
            sys.stdout.write(value)
            sys.stdout.flush()
        elif what == "sleep":
            time.sleep(value)
        elif what == "exit":
            raise SystemExit(value)
        elif what == "error":
            send(id=prompt_id, error=value)
            return
        elif what == "stop":
            send(id=prompt_id, result={"stopReason": value, **step.get("more", {})})
            return


def given(name: str) -> dict[str, Any]:
    """What a step of the script says once and for all."""
    return next((step[name] for step in STEPS if name in step), {})


def known(session: str) -> dict[str, Any]:
    """The answer to a session that is taken up: this agent has one session only."""
    if session == SESSION:
        return {"result": given("offers")}
    details = {"details": f'Invalid session identifier "{session}".'}  # Gemini 0.61.0
    return {"error": {"code": -32603, "message": "Internal error", "data": details}}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params")
        heard(method or "answer", params)
        if method == "initialize":
            wrong = [step["greet"] for step in STEPS if "greet" in step]
            me = {"name": "scripted", "version": "1.2.3"}
            send(
                id=message["id"],
                result=wrong[0]
                if wrong
                else {"protocolVersion": 1, "agentCapabilities": given("can"), "agentInfo": me},
            )
        elif method == "session/new":
            refused = [step["refuse"] for step in STEPS if "refuse" in step]
            if refused:
                send(id=message["id"], error=refused[0])
            else:
                send(id=message["id"], result={"sessionId": SESSION, **given("offers")})
        elif method == "session/load":
            update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "What was before. "})
            send(id=message["id"], **known(params["sessionId"]))
        elif method == "session/resume":
            send(id=message["id"], **known(params["sessionId"]))
        elif method == "session/set_config_option":
            send(id=message["id"], result={"configOptions": []})
        elif method == "session/prompt":
            play(message["id"])


main()
