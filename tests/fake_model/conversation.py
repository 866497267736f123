"""A request of any of the four APIs in one neutral form."""

from __future__ import annotations

import json


class Msg:
    __slots__ = ("role", "text", "tool_calls", "tool_result")

    def __init__(self, role, text="", tool_result=False, tool_calls=()):
        self.role, self.text, self.tool_result, self.tool_calls = role, text, tool_result, list(tool_calls)


class Req:
    """A request of any of the four APIs in one neutral form."""

    def __init__(self, api, model, stream, system, msgs, tools, raw, json_schema=None):
        self.api, self.model, self.stream, self.system, self.msgs = api, model or "", stream, system, msgs
        self.tools = tools  # name -> {"params": {...}, "required": [...], "kind": "function"|"custom"|...}
        self.raw, self.json_schema = raw, json_schema

    @property
    def all_text(self):
        return self.system + "\n" + "\n".join(m.text for m in self.msgs)

    @property
    def last_text(self):
        return self.msgs[-1].text if self.msgs else ""

    def turn_since(self, needle):
        """assistant messages after the last user message that holds `needle` (None: after the last user prompt)."""
        idx = -1
        for i, m in enumerate(self.msgs):
            if m.role != "user" or m.tool_result:
                continue
            if needle is None or needle in m.text:
                idx = i
        n, prev = 0, None
        for m in self.msgs[idx + 1 :]:
            if m.role == "assistant" and prev != "assistant":  # parallel items of one turn count once
                n += 1
            prev = m.role
        return n

    def last_at(self, needle):
        return max(
            (
                i
                for i, m in enumerate(self.msgs)
                if needle and m.role == "user" and not m.tool_result and needle in m.text
            ),
            default=-1,
        )

    def in_tokens(self):
        return max(1, len(self.all_text) // 4)


def _flat(content):
    """flatten a content field (str | list of blocks) to text"""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    out = []
    for b in content:
        if isinstance(b, str):
            out.append(b)
        elif isinstance(b, dict):
            if isinstance(b.get("text"), str):
                out.append(b["text"])
            elif "content" in b:
                out.append(_flat(b["content"]))
            elif "output" in b:
                out.append(_flat(b["output"]))
            elif "functionResponse" in b:
                out.append(json.dumps(b["functionResponse"].get("response")))
    return "\n".join(out)


def parse_openai_chat(body):
    sysm, msgs = [], []
    for m in body.get("messages", []):
        role = m.get("role")
        if role in ("system", "developer"):
            sysm.append(_flat(m.get("content")))
        elif role == "assistant":
            calls = [c.get("function", {}).get("name") for c in m.get("tool_calls") or []]
            msgs.append(Msg("assistant", _flat(m.get("content")), False, calls))
        elif role == "tool":
            msgs.append(Msg("user", _flat(m.get("content")), True))
        else:
            msgs.append(Msg("user", _flat(m.get("content"))))
    tools = {}
    for t in body.get("tools") or []:
        f = t.get("function") or {}
        if f.get("name"):
            p = f.get("parameters") or {}
            tools[f["name"]] = {
                "params": p.get("properties") or {},
                "required": p.get("required") or [],
                "kind": "function",
            }
    rf = body.get("response_format") or {}
    schema = (rf.get("json_schema") or {}).get("schema") if rf.get("type") == "json_schema" else None
    return Req(
        "openai-chat", body.get("model"), bool(body.get("stream")), "\n".join(sysm), msgs, tools, body, schema
    )


def parse_openai_responses(body):
    sysm, msgs = [body.get("instructions") or ""], []
    inp = body.get("input")
    if isinstance(inp, str):
        inp = [{"type": "message", "role": "user", "content": inp}]
    for it in inp or []:
        ty = it.get("type", "message")
        if ty == "message":
            role = it.get("role")
            if role in ("system", "developer"):
                sysm.append(_flat(it.get("content")))
            else:
                msgs.append(Msg("assistant" if role == "assistant" else "user", _flat(it.get("content"))))
        elif ty in ("function_call", "custom_tool_call", "local_shell_call"):
            msgs.append(Msg("assistant", "", False, [it.get("name")]))
        elif ty in ("function_call_output", "custom_tool_call_output", "local_shell_call_output"):
            msgs.append(Msg("user", _flat(it.get("output")), True))
    tools = {}

    def add(t, prefix=""):
        ty = t.get("type")
        if ty == "function":
            p = t.get("parameters") or {}
            tools[prefix + t["name"]] = {
                "params": p.get("properties") or {},
                "required": p.get("required") or [],
                "kind": "function",
            }
        elif ty == "custom":
            tools[prefix + t["name"]] = {"params": {}, "required": [], "kind": "custom"}
        elif ty == "local_shell":
            tools["local_shell"] = {"params": {}, "required": [], "kind": "local_shell"}
        elif ty == "namespace":
            for s in t.get("tools") or []:
                tools.setdefault(
                    s.get("name"),
                    {
                        "params": (s.get("parameters") or {}).get("properties") or {},
                        "required": [],
                        "kind": "function",
                        "namespace": t.get("name"),
                    },
                )

    for t in body.get("tools") or []:
        add(t)
    fmt = (body.get("text") or {}).get("format") or {}
    schema = fmt.get("schema") if fmt.get("type") == "json_schema" else None
    return Req(
        "openai-responses",
        body.get("model"),
        bool(body.get("stream")),
        "\n".join(sysm),
        msgs,
        tools,
        body,
        schema,
    )


def parse_anthropic(body):
    msgs = []
    for m in body.get("messages", []):
        c = m.get("content")
        blocks = c if isinstance(c, list) else [{"type": "text", "text": c or ""}]
        tr = any(isinstance(b, dict) and b.get("type") == "tool_result" for b in blocks)
        calls = [b.get("name") for b in blocks if isinstance(b, dict) and b.get("type") == "tool_use"]
        role = m.get("role")
        msgs.append(
            Msg(
                "assistant" if role == "assistant" else ("system" if role == "system" else "user"),
                _flat(blocks),
                tr,
                calls,
            )
        )
    tools = {}
    for t in body.get("tools") or []:
        p = t.get("input_schema") or {}
        if t.get("name"):
            tools[t["name"]] = {
                "params": p.get("properties") or {},
                "required": p.get("required") or [],
                "kind": "function",
            }
    of = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    schema = of.get("schema") if of.get("type") == "json_schema" else None
    return Req(
        "anthropic",
        body.get("model"),
        bool(body.get("stream")),
        _flat(body.get("system")),
        msgs,
        tools,
        body,
        schema,
    )


def parse_gemini(body, model, stream):
    msgs = []
    for c in body.get("contents") or []:
        parts = c.get("parts") or []
        tr = any("functionResponse" in p for p in parts)
        calls = [p["functionCall"].get("name") for p in parts if "functionCall" in p]
        msgs.append(Msg("assistant" if c.get("role") == "model" else "user", _flat(parts), tr, calls))
    tools = {}
    for t in body.get("tools") or []:
        for f in t.get("functionDeclarations") or []:
            p = f.get("parametersJsonSchema") or f.get("parameters") or {}
            tools[f["name"]] = {
                "params": p.get("properties") or {},
                "required": p.get("required") or [],
                "kind": "function",
            }
    gc = body.get("generationConfig") or {}
    schema = gc.get("responseJsonSchema") or gc.get("responseSchema")
    si = body.get("systemInstruction") or {}
    return Req(
        "gemini",
        model,
        stream,
        _flat(si.get("parts") if isinstance(si, dict) else si),
        msgs,
        tools,
        body,
        schema,
    )
