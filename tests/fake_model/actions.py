"""Abstract actions (write, edit, run, read, done) rendered in the tools that the client offers."""

# ruff: noqa: UP031
from __future__ import annotations

import json
import os
import re
import shlex
import uuid

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
        r"I'm currently working in the (?:directory:|following directories:\s*-) (/\S+)",
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
