"""quick self-check of fake_model.py: four wire formats, stream and not, faults (run: python3 -m pytest -q test_fake.py)"""

import http.client
import json
import urllib.error
import urllib.request

from . import server as fm

S = {
    "rules": [
        {
            "when": {"prompt": "JOB"},
            "steps": [
                {"text": "hi", "do": [{"write": {"path": "a.py", "content": "x=1\n"}}]},
                {"do": [{"done": "fin"}]},
            ],
        },
        {
            "when": {"prompt": "BUSY"},
            "steps": [{"faults": [{"status": 429, "retry_after": 2, "times": 1}], "text": "ok now"}],
        },
        {
            "when": {"prompt": "CUT"},
            "steps": [
                {"fault": {"truncate_after": 2}, "text": "a long text that is going to be cut somewhere"}
            ],
        },
    ]
}


def post(url, path, body):
    r = urllib.request.Request(url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(r, timeout=10) as x:
            return x.status, dict(x.headers), x.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, dict(e.headers), e.read().decode()


def chat(t, **k):
    return {
        "model": "m",
        "messages": [{"role": "user", "content": t}],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "write",
                    "parameters": {
                        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
                        "required": ["path", "content"],
                    },
                },
            }
        ],
        **k,
    }


def test_all():
    srv, url = fm.serve(S)
    try:
        s, h, b = post(url, "/v1/chat/completions", chat("JOB"))
        d = json.loads(b)
        assert s == 200
        assert json.loads(d["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]) == {
            "path": "a.py",
            "content": "x=1\n",
        }
        assert d["usage"]["total_tokens"] > 0
        s, h, b = post(
            url, "/v1/chat/completions", chat("JOB", stream=True, stream_options={"include_usage": True})
        )
        assert b.rstrip().endswith("data: [DONE]")
        assert '"usage"' in b
        s, h, b = post(url, "/v1/chat/completions", chat("BUSY"))
        assert (s, h["Retry-After"]) == (429, "2")
        s, h, b = post(url, "/v1/chat/completions", chat("BUSY"))
        assert s == 200
        assert "ok now" in b
        try:
            s, h, b = post(url, "/v1/chat/completions", chat("CUT", stream=True))
            raise AssertionError("should have been cut")
        except (http.client.IncompleteRead, urllib.error.URLError, ConnectionResetError):
            pass
        s, h, b = post(
            url,
            "/v1/messages",
            {
                "model": "m",
                "max_tokens": 9,
                "messages": [{"role": "user", "content": "JOB"}],
                "tools": [
                    {
                        "name": "Write",
                        "input_schema": {"properties": {"file_path": {}, "content": {}}, "required": []},
                    }
                ],
            },
        )
        d = json.loads(b)
        assert d["stop_reason"] == "tool_use"
        assert d["content"][1]["input"]["file_path"] == "a.py"
        s, h, b = post(
            url,
            "/v1/messages",
            {"model": "m", "stream": True, "messages": [{"role": "user", "content": "JOB"}], "tools": []},
        )
        assert "message_stop" in b
        s, h, b = post(
            url,
            "/v1/responses",
            {
                "model": "m",
                "stream": True,
                "input": "JOB",
                "tools": [
                    {
                        "type": "function",
                        "name": "exec_command",
                        "parameters": {"properties": {"cmd": {"type": "string"}}},
                    }
                ],
            },
        )
        assert "response.completed" in b
        assert "exec_command" in b
        s, h, b = post(
            url,
            "/v1/responses",
            {"model": "m", "input": "JOB", "tools": [{"type": "custom", "name": "apply_patch"}]},
        )
        assert "*** Add File: a.py" in json.loads(b)["output"][1]["input"]
        g = {
            "contents": [{"role": "user", "parts": [{"text": "JOB"}]}],
            "tools": [
                {
                    "functionDeclarations": [
                        {
                            "name": "write_file",
                            "parametersJsonSchema": {"properties": {"file_path": {}, "content": {}}},
                        }
                    ]
                }
            ],
        }
        s, h, b = post(url, "/v1beta/models/g:generateContent", g)
        assert json.loads(b)["candidates"][0]["content"]["parts"][1]["functionCall"]["name"] == "write_file"
        s, h, b = post(url, "/v1beta/models/g:streamGenerateContent?alt=sse", g)
        assert '"finishReason": "STOP"' in b
        s, h, b = post(url, "/v1/messages/count_tokens", {"messages": [{"role": "user", "content": "JOB"}]})
        assert json.loads(b)["input_tokens"] >= 1
    finally:
        srv.shutdown()
