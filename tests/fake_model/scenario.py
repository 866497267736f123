"""A scenario: rules matched on the conversation, each with steps and faults."""

# ruff: noqa: UP031
from __future__ import annotations

import fnmatch
import json
import re
import threading

from .actions import synth


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
                    attempt_plan = self.used[i] - 1
                else:  # stateless: assistant turns since the matching prompt
                    attempt_plan = req.turn_since(prompts[0] if prompts else None)
                if attempt_plan < len(steps):
                    step = steps[attempt_plan]
                else:
                    step = rule.get("after") or (
                        {"do": [{"done": "Done."}]} if rule.get("after") != "repeat" else steps[-1]
                    )
                    if rule.get("after") == "repeat":
                        step = steps[-1]
                step = dict(step)
                faults = self._as_list(step.pop("faults", None) or [])
                if faults:  # transient faults: consumed one by one, then the real answer
                    k = (i, attempt_plan)
                    n = self.attempts.get(k, 0)
                    self.attempts[k] = n + 1
                    flat = [f for f in faults for _ in range(int(f.get("times", 1)))]
                    if n < len(flat):
                        return name, {"fault": flat[n]}, attempt_plan
                return name, step, attempt_plan
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
