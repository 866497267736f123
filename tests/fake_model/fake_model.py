#!/usr/bin/env python3
"""fake_model.py - a scripted, deterministic model API for testing real coding-agent CLIs offline.

One stdlib HTTP server (PyYAML only if the scenario file is YAML) that speaks

  * OpenAI Chat Completions   POST [/v1]/chat/completions          (stream and not)
  * OpenAI Responses          POST [/v1]/responses                 (stream and not; function + custom tools)
  * Anthropic Messages        POST [/v1]/messages, .../count_tokens (stream and not)
  * Gemini generateContent    POST [/v1beta]/models/M:generateContent, :streamGenerateContent, :countTokens
  * model lists               GET  [/v1]/models ...

It answers from a scenario file: rules matched on the conversation, each with a list of steps (one per
assistant turn since the prompt that matched).  A step holds text and/or ABSTRACT actions (write / edit /
run / read / delete / call / done); the server looks at which tools the client offered in this very request and
renders the action in that client's own tool call (Claude Code's Write, Codex's apply_patch/exec_command,
gemini's write_file, opencode's write, pi's write, mini-swe-agent's bash, aider's text edit blocks, ...), falling back
to a shell here-document when the client has only a shell tool.

Faults: any HTTP status with Retry-After (429/500/503/529/401/402...), in-stream error event, delay, slow stream, hang (before or
in the middle of a stream), truncated stream (clean or abrupt), malformed JSON, disconnect, context-length error.

Binds 127.0.0.1 only.  `--port 0` picks a free port; the first stdout line is {"port":..., "url":...}.
Control: GET /_fake/health, GET /_fake/log, GET /_fake/state, POST /_fake/scenario (JSON), POST /_fake/reset.
"""

# ruff: noqa: UP031, SIM113
from __future__ import annotations

import argparse
import contextlib
import fnmatch
import gzip
import json
import os
import re
import shlex
import socket
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

VERSION = "0.1"


# --------------------------------------------------------------------------------------------- conversation model
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


# --------------------------------------------------------------------------------------------- abstract actions -> tool calls
WRITE = ["Write", "write_file", "write", "create_file", "WriteFile", "create", "write_to_file"]
EDIT = ["Edit", "edit_file", "edit", "replace", "str_replace", "search_replace"]
RUN = [
    "Bash",
    "exec_command",
    "shell_command",
    "run_shell_command",
    "bash",
    "shell",
    "execute_bash",
    "terminal",
    "run_command",
    "run_commands",
    "execute_command",
    "local_shell",
]
READ = ["Read", "read_file", "read", "view", "ReadFile", "read_files"]
PATHKEYS = ["file_path", "filePath", "path", "absolute_path", "filename", "file"]
CONTENTKEYS = ["content", "contents", "text", "file_text", "new_content", "new_text"]
CMDKEYS = ["command", "cmd", "script", "commands", "input"]


def _first(cands, have):
    for c in cands:
        if c in have:
            return c
    return None


def _key(cands, props, default):
    return _first(cands, props) or default


def _fill_required(args, spec):
    """give required arguments that we did not set a harmless value of the right type"""
    for r in spec.get("required", []):
        if r in args:
            continue
        ty = (spec["params"].get(r) or {}).get("type", "string")
        if isinstance(ty, list):
            ty = ty[0]
        en = (spec["params"].get(r) or {}).get("enum")
        args[r] = (
            en[0]
            if en
            else {
                "string": "scripted step",
                "boolean": False,
                "integer": 0,
                "number": 0,
                "array": [],
                "object": {},
            }.get(str(ty).lower(), "scripted step")
        )
    return args


def guess_cwd(req):
    for pat in (
        r"(?:[Pp]rimary )?[Ww]orking directory(?: is)?:? *`?(/[^\s`<\"]+)",
        r"<cwd>(/[^<]+)</cwd>",
        r"current working directory(?: is)?:? *`?(/[^\s`<\"]+)",
        r"[Ww]orkspace(?: root)?(?: path)?:? *`?(/[^\s`<\"]+)",
        r"I'm currently working in the directory: (/\S+)",
        r"Workspace Directories:\*{0,2}\s*-? *(/\S+)",
        r"project_root=\"?(/[^\s\"]+)",
        r"cwd[\"':= ]+(/[^\s\"'<]+)",
    ):
        m = re.search(pat, req.all_text)
        if m:
            return m.group(1).rstrip(".,)")
    return ""


def heredoc(path, content):
    tag = "FAKE_EOF"
    while tag in content:
        tag += "_"
    d = os.path.dirname(path)
    mk = f"mkdir -p {shlex.quote(d)} && " if d else ""
    if not content.endswith("\n"):
        content += "\n"
    return f"{mk}cat > {shlex.quote(path)} <<'{tag}'\n{content}{tag}"


def py_replace(path, old, new):
    src = (
        "import pathlib;p=pathlib.Path(%r);s=p.read_text();assert %r in s;p.write_text(s.replace(%r,%r,1))"
        % (path, old, old, new)
    )
    return "python3 -c " + shlex.quote(src)


def run_args(name, spec, cmd):
    p = spec["params"]
    k = _key(CMDKEYS, p, "command")
    ty = (p.get(k) or {}).get("type", "string")
    if name == "local_shell":
        return {"command": ["bash", "-lc", cmd]}
    if ty == "array" or (isinstance(ty, list) and "array" in ty):
        items = (p.get(k) or {}).get("items") or {}
        val = ["bash", "-lc", cmd] if name == "shell" else [cmd]
        if items.get("type") == "object":
            val = [{"command": cmd}]
        return _fill_required({k: val}, spec)
    return _fill_required({k: cmd}, spec)


class Call:
    def __init__(self, name, args, kind="function", raw=None, namespace=None):
        self.name, self.args, self.kind, self.raw, self.namespace = name, args, kind, raw, namespace
        self.id = None


def patch_add(path, content):
    body = "".join("+" + ln + "\n" for ln in content.rstrip("\n").split("\n"))
    return f"*** Begin Patch\n*** Add File: {path}\n{body}*** End Patch"


def patch_update(path, old, new):
    o = "".join("-" + ln + "\n" for ln in old.rstrip("\n").split("\n"))
    n = "".join("+" + ln + "\n" for ln in new.rstrip("\n").split("\n"))
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n{o}{n}*** End Patch"


def render(req, step, variables):
    """-> (text, [Call])"""
    cwd = variables.get("cwd") or guess_cwd(req)

    def sub(s):
        if not isinstance(s, str):
            return s
        s = s.replace("{{cwd}}", cwd)
        for k, v in variables.items():
            s = s.replace("{{%s}}" % k, str(v))
        return s

    def absolute(p):
        p = sub(p)
        return p if p.startswith("/") or not cwd else os.path.join(cwd, p)

    text, calls, tools = sub(step.get("text") or ""), [], req.tools
    code_mode = tools.get("exec", {}).get("kind") == "custom" and not _first(RUN, tools)
    shell = _first(RUN, tools)
    acts = step.get("do") or step.get("actions") or []
    if isinstance(acts, dict):
        acts = [acts]

    def do_run(cmd):
        if shell:
            spec = tools[shell]
            calls.append(
                Call(shell, run_args(shell, spec, cmd), spec["kind"], namespace=spec.get("namespace"))
            )
        elif code_mode:  # codex code mode: a JavaScript cell
            src = (
                "const r = await tools.exec_command({cmd: %s});\ntext(r.output ?? JSON.stringify(r));"
                % json.dumps(cmd)
            )
            calls.append(Call("exec", None, "custom", src))
        else:
            return False
        return True

    for a in acts:
        if isinstance(a, str):
            a = {a: True}
        ((verb, val),) = list(a.items())[:1]
        if verb == "write":
            path, content = val["path"], sub(val["content"])
            w = _first(WRITE, tools)
            if w and (_first(PATHKEYS, tools[w]["params"]) or w != "create"):
                sp = tools[w]
                k = _key(PATHKEYS, sp["params"], "file_path")
                calls.append(
                    Call(
                        w,
                        _fill_required(
                            {k: absolute(path), _key(CONTENTKEYS, sp["params"], "content"): content}, sp
                        ),
                        sp["kind"],
                    )
                )
            elif "editor" in tools or "str_replace_editor" in tools or "file_editor" in tools:
                w = _first(["file_editor", "str_replace_editor", "editor"], tools)
                args = (
                    {"path": absolute(path), "new_text": content}
                    if "new_text" in tools[w]["params"]
                    else {"command": "create", "path": absolute(path), "file_text": content}
                )
                calls.append(Call(w, _fill_required(args, tools[w]), "function"))
            elif "apply_patch" in tools and not val.get("shell"):
                sp, patch = tools["apply_patch"], patch_add(sub(path), content)
                if sp["kind"] == "custom":
                    calls.append(Call("apply_patch", None, "custom", patch))
                else:
                    k = _first(["patchText", "input", "patch"], sp["params"]) or "input"
                    calls.append(Call("apply_patch", _fill_required({k: patch}, sp), "function"))
            elif do_run(heredoc(sub(path), content)):
                pass
            elif tools:  # the client offers no way to write: ask for its usual tool all the same (a test of its deny path)
                calls.append(unoffered(tools, "write", absolute(path), content))
            else:
                text += ("\n" if text else "") + text_edit(req, sub(path), None, content)
        elif verb == "edit":
            path, old, new = val["path"], sub(val["old"]), sub(val["new"])
            e = _first(EDIT, tools)
            if e:
                sp = tools[e]
                p = sp["params"]
                args = {_key(PATHKEYS, p, "file_path"): absolute(path)}
                if "edits" in p:
                    it = ((p["edits"].get("items") or {}).get("properties")) or {}
                    args["edits"] = [
                        {
                            _key(["oldText", "old_string", "old_text", "oldString"], it, "oldText"): old,
                            _key(["newText", "new_string", "new_text", "newString"], it, "newText"): new,
                        }
                    ]
                else:
                    args[
                        _key(["old_string", "oldString", "oldText", "old_text", "old_str"], p, "old_string")
                    ] = old
                    args[
                        _key(["new_string", "newString", "newText", "new_text", "new_str"], p, "new_string")
                    ] = new
                calls.append(Call(e, _fill_required(args, sp), sp["kind"]))
            elif _first(["file_editor", "str_replace_editor"], tools):
                w = _first(["file_editor", "str_replace_editor"], tools)
                calls.append(
                    Call(
                        w,
                        _fill_required(
                            {
                                "command": "str_replace",
                                "path": absolute(path),
                                "old_str": old,
                                "new_str": new,
                            },
                            tools[w],
                        ),
                    )
                )
            elif "apply_patch" in tools:
                sp, patch = tools["apply_patch"], patch_update(sub(path), old, new)
                if sp["kind"] == "custom":
                    calls.append(Call("apply_patch", None, "custom", patch))
                else:
                    k = _first(["patchText", "input", "patch"], sp["params"]) or "input"
                    calls.append(Call("apply_patch", _fill_required({k: patch}, sp), "function"))
            elif not do_run(py_replace(sub(path), old, new)):
                text += ("\n" if text else "") + text_edit(req, sub(path), old, new)
        elif verb == "run":
            cmd = sub(val if isinstance(val, str) else val["command"])
            if do_run(cmd):
                pass
            elif tools:
                calls.append(unoffered(tools, "run", cmd, ""))
            else:
                text += (
                    "\n```mswea_bash_command\n%s\n```" % cmd
                    if "mswea_bash_command" in req.all_text
                    else "\n```bash\n%s\n```" % cmd
                )
        elif verb == "read":
            r = _first(READ, tools)
            if r:
                sp = tools[r]
                k = _key(PATHKEYS, sp["params"], "file_path")
                calls.append(Call(r, _fill_required({k: absolute(val)}, sp), sp["kind"]))
            elif not do_run("cat " + shlex.quote(sub(val))):
                text += ""
        elif verb == "call":  # a raw tool call, when the scenario wants an exact tool
            if val["name"] in tools or val.get("force"):
                kind = (tools.get(val["name"]) or {}).get("kind", "function")
                args = json.loads(sub(json.dumps(val.get("args", {}))))
                calls.append(Call(val["name"], args, kind, val.get("raw")))
        elif verb == "done":  # the client's own explicit completion signal, where it has one
            msg = val if isinstance(val, str) else "Done."
            t = _first(["finish", "submit", "attempt_completion", "submit_and_exit", "task_complete"], tools)
            if "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" in req.all_text:
                do_run("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT") or None
                if not calls:
                    text += "\n```mswea_bash_command\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```"
            elif t:
                sp = tools[t]
                k = _first(["message", "result", "summary", "text"], sp["params"])
                calls.append(Call(t, _fill_required({k: msg} if k else {}, sp), sp["kind"]))
            else:
                text = (text + "\n" if text else "") + sub(msg)
    for _i, c in enumerate(calls):
        c.id = {"anthropic": "toolu_", "gemini": "fc_"}.get(req.api, "call_") + uuid.uuid4().hex[:20]
        sp = tools.get(c.name)
        if sp and sp.get("namespace"):
            c.namespace = sp["namespace"]
    return text, calls


def unoffered(tools, verb, a, b):
    """a call to a tool that this client did NOT offer in the request, in the client's own naming style"""
    if "Read" in tools:
        return (
            Call("Write", {"file_path": a, "content": b})
            if verb == "write"
            else Call("Bash", {"command": a, "description": "x"})
        )
    if "read_file" in tools:
        return (
            Call("write_file", {"file_path": a, "content": b})
            if verb == "write"
            else Call("run_shell_command", {"command": a})
        )
    if "filePath" in (tools.get("read") or {"params": {}})["params"]:
        return (
            Call("write", {"filePath": a, "content": b})
            if verb == "write"
            else Call("bash", {"command": a, "description": "x"})
        )
    return Call("write", {"path": a, "content": b}) if verb == "write" else Call("bash", {"command": a})


def text_edit(req, path, old, new):
    """aider style text edits: SEARCH/REPLACE blocks if the prompt speaks of them, else a whole file listing"""
    if "SEARCH/REPLACE" in req.all_text or "<<<<<<< SEARCH" in req.all_text:
        o = "" if old is None else old.rstrip("\n") + "\n"
        return f"{path}\n```python\n<<<<<<< SEARCH\n{o}=======\n{new.rstrip(chr(10))}\n>>>>>>> REPLACE\n```\n"
    return f"{path}\n```\n{new.rstrip(chr(10))}\n```\n"


def synth(schema):
    """a minimal JSON value that satisfies a JSON schema"""
    if not isinstance(schema, dict):
        return "ok"
    if "enum" in schema:
        return "user" if "user" in schema["enum"] else schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    for k in ("anyOf", "oneOf"):
        if schema.get(k):
            return synth(schema[k][0])
    ty = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(ty, list):
        ty = ty[0]
    ty = str(ty).lower()
    if ty == "object":
        props = schema.get("properties") or {}
        return {k: synth(v) for k, v in props.items() if k in (schema.get("required") or props)}
    return {"array": [], "string": "ok", "boolean": False, "integer": 0, "number": 0, "null": None}.get(
        ty, "ok"
    )


# --------------------------------------------------------------------------------------------- scenario
ERRTYPE_ANTHROPIC = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
ERRTYPE_OPENAI = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    402: ("insufficient_quota", "insufficient_quota"),
    429: ("rate_limit_error", "rate_limit_exceeded"),
    500: ("server_error", None),
    503: ("server_error", None),
    529: ("server_error", "overloaded"),
}
ERRTYPE_GEMINI = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
    529: "UNAVAILABLE",
}


class Scenario:
    def __init__(self, data=None, variables=None):
        self.lock = threading.Lock()
        self.load(data or {}, variables or {})

    def load(self, data, variables=None):
        with self.lock:
            self.data = data
            self.rules = data.get("rules") or []
            self.vars = dict(data.get("vars") or {})
            self.vars.update(variables or {})
            self.used, self.attempts, self.count = {}, {}, 0

    def reset(self):
        with self.lock:
            self.used, self.attempts, self.count = {}, {}, 0

    @staticmethod
    def _as_list(x):
        return x if isinstance(x, list) else [x]

    def matches(self, rule, req, i):
        w = rule.get("when") or {}
        for k, v in w.items():
            L = self._as_list(v)
            if k == "api":
                ok = req.api in L
            elif k == "prompt":  # in a user message that is no tool result
                ok = all(
                    any(x in m.text for m in req.msgs if m.role == "user" and not m.tool_result) for x in L
                )
            elif k == "contains":
                ok = all(x in req.all_text for x in L)
            elif k == "not_contains":
                ok = not any(x in req.all_text for x in L)
            elif k == "last_contains":
                ok = all(x in req.last_text for x in L)
            elif k == "system_contains":
                ok = all(x in req.system for x in L)
            elif k == "regex":
                ok = all(re.search(x, req.all_text, re.S) for x in L)
            elif k == "model":
                ok = any(fnmatch.fnmatch(req.model, x) for x in L)
            elif k == "has_tool":
                ok = any(x in req.tools for x in L)
            elif k == "tools":
                ok = bool(req.tools) == bool(v)
            elif k == "turn":
                ok = req.turn_since(None) in L
            elif k == "json_schema":
                ok = bool(req.json_schema) == bool(v)
            else:
                raise ValueError("unknown match key %r in rule %d" % (k, i))
            if not ok:
                return False
        return not ("times" in rule and self.used.get(i, 0) >= rule["times"])

    def choose(self, req):
        """-> (rule name, step dict, turn)"""
        with self.lock:
            self.count += 1
            fits = [(i, r) for i, r in enumerate(self.rules) if self.matches(r, req, i)]
            if len(fits) > 1 and (fits[0][1].get("when") or {}).get("prompt"):
                # a resumed session holds the prompts of earlier jobs too: the rule whose prompt came LAST wins
                fits.sort(
                    key=lambda ir: (
                        -req.last_at(self._as_list((ir[1].get("when") or {}).get("prompt") or [None])[0])
                    )
                )
            for i, rule in fits[:1]:
                self.used[i] = self.used.get(i, 0) + 1
                name = rule.get("name", "rule%d" % i)
                steps = rule.get("steps") or [rule.get("reply") or {"text": "OK."}]
                prompts = self._as_list((rule.get("when") or {}).get("prompt") or [])
                if rule.get("order") == "calls":  # stateful: n-th use of the rule
                    turn = self.used[i] - 1
                else:  # stateless: assistant turns since the matching prompt
                    turn = req.turn_since(prompts[0] if prompts else None)
                if turn < len(steps):
                    step = steps[turn]
                else:
                    step = rule.get("after") or (
                        {"do": [{"done": "Done."}]} if rule.get("after") != "repeat" else steps[-1]
                    )
                    if rule.get("after") == "repeat":
                        step = steps[-1]
                step = dict(step)
                faults = self._as_list(step.pop("faults", None) or [])
                if faults:  # transient faults: consumed one by one, then the real answer
                    k = (i, turn)
                    n = self.attempts.get(k, 0)
                    self.attempts[k] = n + 1
                    flat = [f for f in faults for _ in range(int(f.get("times", 1)))]
                    if n < len(flat):
                        return name, {"fault": flat[n]}, turn
                return name, step, turn
        if req.json_schema:
            return "(auto json)", {"text": json.dumps(synth(req.json_schema))}, 0
        side = self.data.get("side")
        if not req.tools and side is not None:
            return "(side)", side, 0
        d = self.data.get("default")
        return "(default)", d if d is not None else {"text": "OK."}, 0


def load_file(path):
    with open(path, encoding="utf-8") as f:
        s = f.read()
    if path.endswith((".yaml", ".yml")):
        import yaml

        return yaml.safe_load(s)
    return json.loads(s)


# --------------------------------------------------------------------------------------------- HTTP
class Cut(Exception):
    pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "fake-model/" + VERSION

    def log_message(self, *a):
        pass

    # ---- plumbing
    def _body(self):
        te = (self.headers.get("Transfer-Encoding") or "").lower()
        if "chunked" in te:
            out = b""
            while True:
                n = int(self.rfile.readline().split(b";")[0], 16)
                if n == 0:
                    self.rfile.readline()
                    break
                out += self.rfile.read(n)
                self.rfile.readline()
        else:
            out = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            out = gzip.decompress(out)
        return out

    def send_json(self, obj, status=200, headers=()):
        data = obj if isinstance(obj, bytes) else json.dumps(obj).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("x-request-id", "req_" + uuid.uuid4().hex[:16])
        self.send_header("request-id", "req_" + uuid.uuid4().hex[:16])
        for k, v in headers:
            self.send_header(k, v)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def start_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("x-request-id", "req_" + uuid.uuid4().hex[:16])
        self.send_header("request-id", "req_" + uuid.uuid4().hex[:16])
        self.end_headers()

    def chunk(self, s):
        b = s.encode()
        self.wfile.write(b"%x\r\n" % len(b) + b + b"\r\n")
        self.wfile.flush()

    def end_stream(self):
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def drop(self):
        """close the socket without a proper end"""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def nap(self, s):
        end = time.time() + s
        while time.time() < end and not self.server.stopping.is_set():
            time.sleep(min(0.1, max(0.0, end - time.time())))

    # ---- verbs
    def do_HEAD(self):
        self.send_json({})

    def do_GET(self):
        path = self.path.split("?")[0].rstrip("/")
        S = self.server
        if path == "/_fake/health":
            return self.send_json({"ok": True, "version": VERSION, "requests": S.scenario.count})
        if path == "/_fake/log":
            with S.loglock:
                return self.send_json(S.log)
        if path == "/_fake/state":
            return self.send_json(
                {"count": S.scenario.count, "used": {str(k): v for k, v in S.scenario.used.items()}}
            )
        S.record({"api": "http", "method": "GET", "path": self.path})
        if self.headers.get("Upgrade", "").lower() == "websocket":
            return self.send_json({"error": {"message": "no websocket here"}}, 426)
        names = S.scenario.data.get("models") or ["fake-model"]
        if path.endswith("/models"):
            if "v1beta" in path:
                return self.send_json(
                    {
                        "models": [
                            {
                                "name": "models/" + n,
                                "displayName": n,
                                "inputTokenLimit": 1000000,
                                "outputTokenLimit": 65536,
                                "supportedGenerationMethods": ["generateContent", "countTokens"],
                            }
                            for n in names
                        ]
                    }
                )
            return self.send_json(
                {
                    "object": "list",
                    "data": [
                        {
                            "id": n,
                            "object": "model",
                            "type": "model",
                            "display_name": n,
                            "created": 1700000000,
                            "created_at": "2025-01-01T00:00:00Z",
                            "owned_by": "fake",
                        }
                        for n in names
                    ],
                    "has_more": False,
                    "first_id": names[0],
                    "last_id": names[-1],
                }
            )
        if "/models/" in path:
            n = path.rsplit("/", 1)[1]
            return self.send_json(
                {
                    "id": n,
                    "object": "model",
                    "type": "model",
                    "display_name": n,
                    "name": "models/" + n,
                    "created": 1700000000,
                    "owned_by": "fake",
                }
            )
        self.send_json({"error": {"message": "not found: " + self.path, "type": "not_found_error"}}, 404)

    def do_POST(self):
        S = self.server
        try:
            raw = self._body()
        except (ValueError, OSError):
            return self.drop()
        path = self.path.split("?")[0].rstrip("/")
        if path == "/_fake/scenario":
            S.scenario.load(json.loads(raw), S.cli_vars)
            return self.send_json({"ok": True})
        if path == "/_fake/reset":
            S.scenario.reset()
            with S.loglock:
                S.log.clear()
            return self.send_json({"ok": True})
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            S.record({"api": "http", "method": "POST", "path": self.path, "bad_json": True})
            return self.send_json({"error": {"message": "bad JSON"}}, 400)
        gm = re.search(
            r"/models/([^/:]+):(generateContent|streamGenerateContent|countTokens|embedContent)$", path
        )
        try:
            if path.endswith("/chat/completions"):
                return self.answer(parse_openai_chat(body))
            if path.endswith("/responses"):
                return self.answer(parse_openai_responses(body))
            if path.endswith("/messages/count_tokens"):
                return self.send_json({"input_tokens": parse_anthropic(body).in_tokens()})
            if path.endswith("/messages"):
                return self.answer(parse_anthropic(body))
            if gm and gm.group(2) == "countTokens":
                return self.send_json({"totalTokens": parse_gemini(body, gm.group(1), False).in_tokens()})
            if gm and gm.group(2) in ("generateContent", "streamGenerateContent"):
                return self.answer(parse_gemini(body, gm.group(1), gm.group(2)[0] == "s"))
        except (BrokenPipeError, ConnectionResetError):
            S.record({"api": "http", "path": self.path, "client_gone": True})
            self.close_connection = True
            return None
        S.record({"api": "http", "method": "POST", "path": self.path, "status": 404})
        self.send_json({"error": {"message": "not found: " + self.path, "type": "not_found_error"}}, 404)

    do_PUT = do_PATCH = do_DELETE = do_POST

    # ---- the answer
    def key(self):
        a = self.headers.get("Authorization") or ""
        return (
            self.headers.get("x-api-key")
            or self.headers.get("x-goog-api-key")
            or (a[7:] if a.startswith("Bearer ") else a)
        )

    def answer(self, req):
        S = self.server
        rec = {
            "api": req.api,
            "path": self.path,
            "model": req.model,
            "stream": req.stream,
            "tools": sorted(req.tools),
            "n_msgs": len(req.msgs),
            "ua": self.headers.get("User-Agent"),
            "key_tail": (self.key() or "")[-4:],
        }
        want = S.scenario.data.get("require_key")
        if want and self.key() != want:
            rec.update(rule="(auth)", status=401)
            S.record(rec, req)
            return self.fail(req, {"status": 401, "message": "invalid x-api-key"})
        name, step, turn = S.scenario.choose(req)
        rec.update(rule=name, turn=turn)
        f = step.get("fault") or step.get("error")
        if step.get("delay"):
            self.nap(step["delay"])
        if f:
            if f.get("delay"):
                self.nap(f["delay"])
            rec["fault"] = f
            if not (
                f.get("in_stream") or f.get("truncate_after") is not None or f.get("hang_after") is not None
            ):
                S.record(rec, req)
            if f.get("hang"):  # accept, say nothing
                self.nap(3600 if f["hang"] is True else float(f["hang"]))
                return self.drop()
            if f.get("disconnect"):
                return self.drop()
            if f.get("malformed"):
                return self.send_json(b'{"oops": tru')
            if not (
                f.get("in_stream") or f.get("truncate_after") is not None or f.get("hang_after") is not None
            ):
                return self.fail(req, f)
            step = {**step, **{k: v for k, v in f.items() if k != "status"}, "stream_fault": f}
            step.setdefault("text", "This is a partial answer that will be cut in the middle of the stream.")
        text, calls = render(req, step, S.scenario.vars)
        if not text and not calls:
            text = "OK." if not step.get("empty") else ""
        out = json.dumps([c.args or c.raw for c in calls])
        u = step.get("usage") or {}
        usage = {
            "in": u.get("input", req.in_tokens()),
            "out": u.get("output", max(1, (len(text) + len(out)) // 4)),
            "cached": u.get("cached", 0),
        }
        rec.update(
            status=200,
            text=text[:200],
            calls=[{"name": c.name, "args": c.args if c.raw is None else c.raw} for c in calls],
        )
        S.record(rec, req)
        gen = {
            "anthropic": self.ev_anthropic,
            "openai-chat": self.ev_chat,
            "openai-responses": self.ev_responses,
            "gemini": self.ev_gemini,
        }[req.api]
        finish = step.get("finish")
        if not req.stream:
            return self.send_json(gen(req, text, calls, usage, finish, whole=True))
        self.start_stream()
        n, cd = 0, float(step.get("chunk_delay") or 0)
        sf = step.get("stream_fault") or step
        for ev in gen(req, text, calls, usage, finish, whole=False):
            if sf.get("truncate_after") is not None and n >= sf["truncate_after"]:
                if sf.get("truncate", "abrupt") == "clean":
                    self.end_stream()
                return self.drop()
            if sf.get("hang_after") is not None and n >= sf["hang_after"]:
                self.nap(3600 if sf.get("hang_s") is None else float(sf["hang_s"]))
                return self.drop()
            if sf.get("in_stream") and n >= int(sf.get("after", 2)):
                self.chunk(self.stream_error(req, sf))
                self.end_stream()
                return None
            self.chunk(ev)
            n += 1
            if cd:
                self.nap(cd)
        self.end_stream()
        return None

    # ---- errors
    def err_body(self, req, f):
        st = int(f.get("status", 500))
        msg = f.get("message") or {
            429: "Rate limit exceeded (scripted)",
            529: "Overloaded (scripted)",
            500: "Internal server error (scripted)",
            401: "Invalid API key (scripted)",
        }.get(st, "scripted error %d" % st)
        if "body" in f:
            return f["body"]
        if req.api == "anthropic":
            return {
                "type": "error",
                "error": {"type": f.get("type") or ERRTYPE_ANTHROPIC.get(st, "api_error"), "message": msg},
                "request_id": "req_" + uuid.uuid4().hex[:16],
            }
        if req.api == "gemini":
            d = {
                "error": {
                    "code": st,
                    "message": msg,
                    "status": f.get("type") or ERRTYPE_GEMINI.get(st, "UNKNOWN"),
                }
            }
            if f.get("retry_after") is not None:
                d["error"]["details"] = [
                    {
                        "@type": "type.googleapis.com/google.rpc.RetryInfo",
                        "retryDelay": "%ss" % f["retry_after"],
                    }
                ]
            return d
        ty, code = ERRTYPE_OPENAI.get(st, ("server_error", None))
        return {
            "error": {
                "message": msg,
                "type": f.get("type") or ty,
                "param": None,
                "code": f.get("code") or code,
            }
        }

    def fail(self, req, f):
        st = int(f.get("status", 500))
        h = [("Retry-After", str(f["retry_after"]))] if f.get("retry_after") is not None else []
        h += list((f.get("headers") or {}).items())
        if f.get("should_retry") is not None:
            h.append(("x-should-retry", "true" if f["should_retry"] else "false"))
        return self.send_json(self.err_body(req, f), st, h)

    def stream_error(self, req, f):
        b = self.err_body(req, f)
        if req.api == "anthropic":
            return "event: error\ndata: %s\n\n" % json.dumps(b)
        if req.api == "openai-responses":
            return "event: response.failed\ndata: %s\n\n" % json.dumps(
                {
                    "type": "response.failed",
                    "response": {
                        "id": "resp_x",
                        "status": "failed",
                        "error": {"code": f.get("code", "server_error"), "message": b["error"]["message"]},
                    },
                }
            )
        return "data: %s\n\n" % json.dumps(b)

    # ---- the four wire formats: whole=True -> one JSON object; else an iterator of SSE events
    @staticmethod
    def pieces(text, n=24):
        return [text[i : i + n] for i in range(0, len(text), n)] or []

    def ev_anthropic(self, req, text, calls, u, finish, whole):
        mid = "msg_" + uuid.uuid4().hex[:22]
        stop = finish or ("tool_use" if calls else "end_turn")
        us = {
            "input_tokens": u["in"],
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": u["cached"],
            "output_tokens": u["out"],
            "service_tier": "standard",
        }
        if whole:
            content = ([{"type": "text", "text": text}] if text else []) + [
                {"type": "tool_use", "id": c.id, "name": c.name, "input": c.args or {}} for c in calls
            ]
            return {
                "id": mid,
                "type": "message",
                "role": "assistant",
                "model": req.model,
                "content": content,
                "stop_reason": stop,
                "stop_sequence": None,
                "usage": us,
            }

        def e(t, d):
            return "event: %s\ndata: %s\n\n" % (t, json.dumps({"type": t, **d}))

        def gen():
            yield e(
                "message_start",
                {
                    "message": {
                        "id": mid,
                        "type": "message",
                        "role": "assistant",
                        "model": req.model,
                        "content": [],
                        "stop_reason": None,
                        "stop_sequence": None,
                        "usage": {**us, "output_tokens": 1},
                    }
                },
            )
            i = 0
            if text:
                yield e("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}})
                yield e("ping", {})
                for p in self.pieces(text):
                    yield e("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": p}})
                yield e("content_block_stop", {"index": 0})
                i = 1
            for c in calls:
                yield e(
                    "content_block_start",
                    {
                        "index": i,
                        "content_block": {"type": "tool_use", "id": c.id, "name": c.name, "input": {}},
                    },
                )
                for p in self.pieces(json.dumps(c.args or {}), 60):
                    yield e(
                        "content_block_delta",
                        {"index": i, "delta": {"type": "input_json_delta", "partial_json": p}},
                    )
                yield e("content_block_stop", {"index": i})
                i += 1
            yield e("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": us})
            yield e("message_stop", {})

        return gen()

    def ev_chat(self, req, text, calls, u, finish, whole):
        cid, now = "chatcmpl-" + uuid.uuid4().hex[:20], int(time.time())
        stop = finish or ("tool_calls" if calls else "stop")
        us = {
            "prompt_tokens": u["in"],
            "completion_tokens": u["out"],
            "total_tokens": u["in"] + u["out"],
            "prompt_tokens_details": {"cached_tokens": u["cached"]},
        }
        tc = [
            {
                "id": c.id,
                "type": "function",
                "function": {"name": c.name, "arguments": json.dumps(c.args or {})},
            }
            for c in calls
        ]
        if whole:
            m = {"role": "assistant", "content": text or None}
            if tc:
                m["tool_calls"] = tc
            return {
                "id": cid,
                "object": "chat.completion",
                "created": now,
                "model": req.model,
                "choices": [{"index": 0, "message": m, "finish_reason": stop, "logprobs": None}],
                "usage": us,
            }
        base = {"id": cid, "object": "chat.completion.chunk", "created": now, "model": req.model}

        def e(delta, fr=None):
            return "data: %s\n\n" % json.dumps(
                {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": fr}]}
            )

        def gen():
            yield e({"role": "assistant", "content": ""})
            for p in self.pieces(text):
                yield e({"content": p})
            for i, t in enumerate(tc):
                yield e(
                    {
                        "tool_calls": [
                            {
                                "index": i,
                                "id": t["id"],
                                "type": "function",
                                "function": {"name": t["function"]["name"], "arguments": ""},
                            }
                        ]
                    }
                )
                for p in self.pieces(t["function"]["arguments"], 60):
                    yield e({"tool_calls": [{"index": i, "function": {"arguments": p}}]})
            yield e({}, stop)
            if (req.raw.get("stream_options") or {}).get("include_usage"):
                yield "data: %s\n\n" % json.dumps({**base, "choices": [], "usage": us})
            yield "data: [DONE]\n\n"

        return gen()

    def ev_responses(self, req, text, calls, u, finish, whole):
        rid, now = "resp_" + uuid.uuid4().hex[:20], int(time.time())
        us = {
            "input_tokens": u["in"],
            "input_tokens_details": {"cached_tokens": u["cached"]},
            "output_tokens": u["out"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": u["in"] + u["out"],
        }
        items = []
        if text:
            items.append(
                {
                    "type": "message",
                    "id": "msg_" + uuid.uuid4().hex[:16],
                    "status": "completed",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": text, "annotations": []}],
                }
            )
        for c in calls:
            if c.kind == "custom":
                items.append(
                    {
                        "type": "custom_tool_call",
                        "id": "ctc_" + uuid.uuid4().hex[:16],
                        "status": "completed",
                        "call_id": c.id,
                        "name": c.name,
                        "input": c.raw or "",
                    }
                )
            elif c.kind == "local_shell":
                items.append(
                    {
                        "type": "local_shell_call",
                        "id": "lsh_" + uuid.uuid4().hex[:16],
                        "call_id": c.id,
                        "status": "completed",
                        "action": {"type": "exec", "command": c.args["command"], "env": {}},
                    }
                )
            else:
                it = {
                    "type": "function_call",
                    "id": "fc_" + uuid.uuid4().hex[:16],
                    "status": "completed",
                    "call_id": c.id,
                    "name": c.name,
                    "arguments": json.dumps(c.args or {}),
                }
                if c.namespace:
                    it["namespace"] = c.namespace
                items.append(it)
        resp = {
            "id": rid,
            "object": "response",
            "created_at": now,
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "model": req.model,
            "output": items,
            "parallel_tool_calls": True,
            "usage": us,
        }
        if whole:
            return resp
        seq = [0]

        def e(t, d):
            seq[0] += 1
            return "event: %s\ndata: %s\n\n" % (t, json.dumps({"type": t, "sequence_number": seq[0], **d}))

        def gen():
            start = {**resp, "status": "in_progress", "output": [], "usage": None}
            yield e("response.created", {"response": start})
            yield e("response.in_progress", {"response": start})
            for i, it in enumerate(items):
                if it["type"] == "message":
                    yield e(
                        "response.output_item.added",
                        {"output_index": i, "item": {**it, "status": "in_progress", "content": []}},
                    )
                    yield e(
                        "response.content_part.added",
                        {
                            "item_id": it["id"],
                            "output_index": i,
                            "content_index": 0,
                            "part": {"type": "output_text", "text": "", "annotations": []},
                        },
                    )
                    for p in self.pieces(text):
                        yield e(
                            "response.output_text.delta",
                            {"item_id": it["id"], "output_index": i, "content_index": 0, "delta": p},
                        )
                    yield e(
                        "response.output_text.done",
                        {"item_id": it["id"], "output_index": i, "content_index": 0, "text": text},
                    )
                    yield e(
                        "response.content_part.done",
                        {
                            "item_id": it["id"],
                            "output_index": i,
                            "content_index": 0,
                            "part": it["content"][0],
                        },
                    )
                elif it["type"] == "function_call":
                    yield e(
                        "response.output_item.added",
                        {"output_index": i, "item": {**it, "status": "in_progress", "arguments": ""}},
                    )
                    for p in self.pieces(it["arguments"], 60):
                        yield e(
                            "response.function_call_arguments.delta",
                            {"item_id": it["id"], "output_index": i, "delta": p},
                        )
                    yield e(
                        "response.function_call_arguments.done",
                        {"item_id": it["id"], "output_index": i, "arguments": it["arguments"]},
                    )
                elif it["type"] == "custom_tool_call":
                    yield e(
                        "response.output_item.added",
                        {"output_index": i, "item": {**it, "status": "in_progress", "input": ""}},
                    )
                    for p in self.pieces(it["input"], 60):
                        yield e(
                            "response.custom_tool_call_input.delta",
                            {"item_id": it["id"], "output_index": i, "delta": p},
                        )
                    yield e(
                        "response.custom_tool_call_input.done",
                        {"item_id": it["id"], "output_index": i, "input": it["input"]},
                    )
                else:
                    yield e("response.output_item.added", {"output_index": i, "item": it})
                yield e("response.output_item.done", {"output_index": i, "item": it})
            yield e("response.completed", {"response": resp})

        return gen()

    def ev_gemini(self, req, text, calls, u, finish, whole):
        us = {
            "promptTokenCount": u["in"],
            "candidatesTokenCount": u["out"],
            "totalTokenCount": u["in"] + u["out"],
        }
        if u["cached"]:
            us["cachedContentTokenCount"] = u["cached"]
        cp = [{"functionCall": {"id": c.id, "name": c.name, "args": c.args or {}}} for c in calls]
        rid = uuid.uuid4().hex[:16]

        def obj(parts, fin=None, usage=False):
            c = {"content": {"role": "model", "parts": parts}, "index": 0}
            if fin:
                c["finishReason"] = fin
            d = {"candidates": [c], "modelVersion": req.model, "responseId": rid}
            if usage:
                d["usageMetadata"] = us
            return d

        fin = finish or "STOP"
        if whole:
            return obj(([{"text": text}] if text else []) + cp, fin, True)

        def gen():
            for p in self.pieces(text, 12):
                yield "data: %s\r\n\r\n" % json.dumps(obj([{"text": p}]))
            if cp:
                yield "data: %s\r\n\r\n" % json.dumps(obj(cp))
            yield "data: %s\r\n\r\n" % json.dumps(obj([{"text": ""}], fin, True))

        return gen()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, port, scenario, logfile=None, dump=None, cli_vars=None):
        self.scenario, self.logfile, self.dump, self.cli_vars = scenario, logfile, dump, cli_vars or {}
        self.log, self.loglock, self.stopping = [], threading.Lock(), threading.Event()
        super().__init__(("127.0.0.1", port), Handler)

    def record(self, rec, req=None):
        rec = {"t": round(time.time(), 3), **rec}
        with self.loglock:
            self.log.append(rec)
            n = len(self.log)
            if self.logfile:
                with open(self.logfile, "a", encoding="utf-8") as f:
                    f.write(json.dumps(rec) + "\n")
            if self.dump and req is not None:
                os.makedirs(self.dump, exist_ok=True)
                with open(os.path.join(self.dump, "%04d-%s.json" % (n, req.api)), "w", encoding="utf-8") as f:
                    json.dump(req.raw, f, indent=1)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (BrokenPipeError, ConnectionResetError)):
            super().handle_error(request, client_address)


def serve(scenario_data=None, port=0, **kw):
    """in-process use from a test: srv, url = serve({...}); ...; srv.shutdown()"""
    srv = Server(port, Scenario(scenario_data or {}, kw.get("cli_vars")), **kw)
    threading.Thread(target=srv.serve_forever, daemon=True).start()
    return srv, "http://127.0.0.1:%d" % srv.server_address[1]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--scenario", help="YAML or JSON scenario file")
    ap.add_argument("--port", type=int, default=0)
    ap.add_argument("--log", help="append one JSON line per request")
    ap.add_argument("--dump", help="folder that gets every request body")
    ap.add_argument(
        "--var",
        action="append",
        default=[],
        metavar="K=V",
        help="{{K}} in the scenario; cwd=... fixes the working directory",
    )
    ap.add_argument("--max-seconds", type=float, default=3600, help="stop by itself after this long")
    a = ap.parse_args()
    v = dict(x.split("=", 1) for x in a.var)
    srv = Server(a.port, Scenario(load_file(a.scenario) if a.scenario else {}, v), a.log, a.dump, v)
    port = srv.server_address[1]
    print(json.dumps({"port": port, "url": "http://127.0.0.1:%d" % port, "pid": os.getpid()}), flush=True)
    t = threading.Timer(a.max_seconds, lambda: (srv.stopping.set(), srv.shutdown()))
    t.daemon = True
    t.start()
    with contextlib.suppress(KeyboardInterrupt):
        srv.serve_forever()
    srv.stopping.set()


if __name__ == "__main__":
    main()
