"""Schemas of the formats that `tdd prove` writes, in our own words after the published ones: JSON Schema of every field that
is allowed where the format forbids others, and of those that we use where it does not."""

from __future__ import annotations

from typing import Any

_TEXT: dict[str, Any] = {"type": "string"}
_NAME: dict[str, Any] = {"type": "string", "minLength": 1}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
_URI: dict[str, Any] = {"type": "string", "pattern": r"^[a-z][a-z0-9+.-]*:\S+$"}
_TIME: dict[str, Any] = {
    "type": "string",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$",
}
_BASE64: dict[str, Any] = {"type": "string", "pattern": "^[A-Za-z0-9+/]*={0,2}$"}


def _object(required: str, more: bool = False, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": more,
    }


def _list(items: dict[str, Any], least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least}


_DIGEST = {
    "type": "object",
    "minProperties": 1,
    "properties": {"gitCommit": {"type": "string", "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$"}},
    "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]+$"},
}
_RESOURCE = {
    **_object("", name=_NAME, uri=_URI, digest=_DIGEST, content=_BASE64, downloadLocation=_URI, mediaType=_TEXT,
              annotations={"type": "object"}),
    "anyOf": [{"required": [name]} for name in ("uri", "digest", "content")],
}  # fmt: skip


def _statement(kind: str, predicate: dict[str, Any]) -> dict[str, Any]:
    subject = {**_RESOURCE, "required": ["digest"]}
    return _object(
        "_type subject predicateType predicate", _type={"const": "https://in-toto.io/Statement/v1"},
        subject=_list(subject, 1), predicateType={"const": kind}, predicate=predicate,
    )  # fmt: skip


TEST_RESULT = _statement(
    "https://in-toto.io/attestation/test-result/v0.1",
    _object(
        "result configuration", result={"enum": ["PASSED", "WARNED", "FAILED"]}, configuration=_list(_RESOURCE),
        url=_URI, passedTests=_list(_TEXT), warnedTests=_list(_TEXT), failedTests=_list(_TEXT),
    ),
)  # fmt: skip
VERIFICATION = _statement(
    "https://in-toto.io/attestation/svr/v0.2",
    _object(
        "verifier timeCreated properties", verifier=_object("id policies", id=_URI, policies=_list(_RESOURCE)),
        timeCreated=_TIME, properties=_list(_NAME),
    ),
)  # fmt: skip
ENVELOPE = _object(
    "payload payloadType signatures", payload=_BASE64, payloadType=_URI | {"pattern": r"^\S+$"},
    signatures=_list(_object("sig", keyid=_TEXT, sig=_BASE64 | {"minLength": 1}), 1),
)  # fmt: skip

CTRF = _object(
    "results reportFormat specVersion",
    reportFormat={"const": "CTRF"},
    specVersion={"type": "string", "pattern": r"^[0-9]+\.[0-9]+\.[0-9]+$"},
    reportId=_NAME, runId=_NAME, timestamp=_TIME, generatedBy=_TEXT, extra={"type": "object"},
    results=_object(
        "tool summary tests",
        tool=_object("name", name=_NAME, version=_TEXT, extra={"type": "object"}),
        summary=_object(
            "tests passed failed skipped pending other start stop", tests=_COUNT, passed=_COUNT, failed=_COUNT,
            skipped=_COUNT, pending=_COUNT, other=_COUNT, flaky=_COUNT, suites=_COUNT, start=_COUNT, stop=_COUNT,
            duration=_COUNT, extra={"type": "object"},
        ),
        tests=_list(_object(
            "name status duration", name=_NAME, status={"enum": ["passed", "failed", "skipped", "pending", "other"]},
            duration=_COUNT, suite=_list(_NAME, 1), message=_TEXT, trace=_TEXT, line=_COUNT, rawStatus=_TEXT,
            tags=_list(_TEXT), type=_TEXT, filePath=_TEXT, retries=_COUNT, flaky={"type": "boolean"},
            extra={"type": "object"},
        )),
        environment={"type": "object"}, extra={"type": "object"},
    ),
)  # fmt: skip

_MESSAGE = _object("text", text=_NAME, markdown=_TEXT)
_LOCATION = _object(
    "",
    physicalLocation=_object(
        "artifactLocation", artifactLocation=_object("uri", uri={"type": "string", "pattern": r"^[^\s\\]+$"}),
        region=_object("startLine", startLine={"type": "integer", "minimum": 1}),
    ),
    logicalLocations=_list(_object("", name=_TEXT, fullyQualifiedName=_NAME, kind=_TEXT)),
)  # fmt: skip
SARIF = _object(
    "version runs", **{"$schema": _URI}, version={"const": "2.1.0"},
    runs=_list(_object(
        "tool results",
        tool=_object("driver", driver=_object(
            "name", name=_NAME, version=_TEXT, informationUri=_URI,
            rules={**_list(_object("id", id=_NAME, shortDescription=_MESSAGE)), "uniqueItems": True},
        )),
        results=_list(_object(
            "message", ruleId=_NAME, ruleIndex=_COUNT, level={"enum": ["none", "note", "warning", "error"]},
            message=_MESSAGE, locations=_list(_LOCATION),
            partialFingerprints={"type": "object", "additionalProperties": _TEXT},
        )),
    ), 1),
)  # fmt: skip

JUNIT: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "tests", "failures", "errors", "time"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests"},
        {"failures", "errors", "skipped", "time", "timestamp", "hostname", "id", "package", "file"},
        {"testcase", "properties", "system-out", "system-err"},
    ),
    "testcase": (
        {"name", "classname"},
        {"time", "file", "line", "assertions"},
        {"failure", "error", "skipped"},
    ),
    "failure": (set(), {"message", "type"}, set()),
}
"""Element -> attributes it must have, others it may have, and children."""
