"""Where TypeScript's compiler found an error, inside a runner that compiles as it loads (ts-jest, ts-node)."""

from __future__ import annotations

import pytest

from tdd_orchestrator.testlog.parsers.traces import JsTrace

TS_JEST = "test/a.test.ts:5:45 - error TS2345: Argument of type 'string' is not assignable"
TS_NODE = "TSError: ⨯ Unable to compile TypeScript:\ntest/a.test.ts(5,45): error TS2345: Argument of type"


@pytest.mark.parametrize("text", [TS_JEST, TS_NODE])
def test_the_line_stands_in_the_message(text: str) -> None:
    trace = JsTrace()
    for line in text.splitlines():
        trace.feed(line)
    error = trace.build_error("test/a.test.ts")
    assert (error.file, error.line) == ("test/a.test.ts", 5)
