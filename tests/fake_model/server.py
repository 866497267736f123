"""A scripted, deterministic model API for testing real coding-agent CLIs offline.

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
import gzip
import json
import os
import re
import socket
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .actions import render
from .conversation import parse_anthropic, parse_gemini, parse_openai_chat, parse_openai_responses
from .formats import ENDS, Formats
from .scenario import Scenario, load_file

VERSION = "0.1"


class Cut(Exception):
    pass


class Handler(Formats, BaseHTTPRequestHandler):
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
        name, step, attempt_plan = S.scenario.choose(req)
        rec.update(rule=name, attempt_plan=attempt_plan)
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
        finish = ENDS[step["ends"]][req.api] if "ends" in step else None
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

    def fail(self, req, f):
        st = int(f.get("status", 500))
        h = [("Retry-After", str(f["retry_after"]))] if f.get("retry_after") is not None else []
        h += list((f.get("headers") or {}).items())
        if f.get("should_retry") is not None:
            h.append(("x-should-retry", "true" if f["should_retry"] else "false"))
        return self.send_json(self.err_body(req, f), st, h)


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
