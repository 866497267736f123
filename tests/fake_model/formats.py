"""The answer in the four wire formats: one JSON object, or a stream of server-sent events."""

# ruff: noqa: UP031
from __future__ import annotations

import json
import time
import uuid

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

ENDS = {
    "refused": {"anthropic": "refusal", "openai-chat": "content_filter", "openai-responses": "content_filter",
                "gemini": "PROHIBITED_CONTENT"},
    "cut": {"anthropic": "max_tokens", "openai-chat": "length", "openai-responses": "max_output_tokens",
            "gemini": "MAX_TOKENS"},
}  # fmt: skip
"""How an answer ends that was not given whole, in each format's own word."""


class Formats:
    """Mixed into the handler: error bodies and answers, by API."""

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
            "input_tokens": u["in"] - u["cached"],  # here those from the cache stand beside the others
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
            "status": "incomplete" if finish else "completed",
            "error": None,
            "incomplete_details": {"reason": finish} if finish else None,
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
            yield e(f"response.{resp['status']}", {"response": resp})

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
