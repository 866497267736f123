"""The OpenAPI 3.1 document, made from the table of operations: it cannot say anything else than the routes
do."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tdd_orchestrator import __version__
from tdd_orchestrator.history.events import TYPES
from tdd_orchestrator.web import shapes
from tdd_orchestrator.web.api import OPERATIONS, PREFIX, Operation

Data = dict[str, Any]
_ERRORS = {
    401: "No token, or the wrong one",
    403: "The dashboard is read-only, or the request came from another site",
    404: "Not there",
    409: "Refused; the sentence says why",
    422: "Not as it must be",
    500: "A bug of ours",
}


def route() -> Route:
    """Return the route that answers with the document."""
    return Route(PREFIX + "/openapi.json", _answer)


async def _answer(request: Request) -> Response:
    return JSONResponse(document())


@cache
def document() -> Data:
    parts: Data = {"Error": _ERROR}
    paths: Data = {}
    for operation in OPERATIONS:
        paths.setdefault(PREFIX + operation.path, {})[operation.method.lower()] = _operation(operation, parts)
    paths[PREFIX + "/events"] = {"get": _events()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tdd dashboard",
            "version": __version__,
            "description": (
                "Plan, cycles, records, failures and analytics of the repositories that `tdd "
                "dashboard` shows."
            ),
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": parts,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token in the address that was printed.",
                }
            },
        },
    }


_ERROR: Data = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["what", "todo"],
            "properties": {"what": {"type": "string"}, "todo": {"type": "string"}},
        }
    },
}


def _operation(operation: Operation, parts: Data) -> Data:
    found: Data = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [*_path(operation.path), *_query(operation.query)],
        "responses": {
            str(operation.made): _json({"type": "object", "required": list(operation.answer)}, "Done"),
            **_problems(),
        },
    }
    if operation.body is not None:
        found["requestBody"] = {
            "required": any(field.is_required() for field in operation.body.model_fields.values()),
            "content": {"application/json": {"schema": _schema(operation.body, parts)}},
        }
    return found


def _events() -> Data:
    return {
        "operationId": "events",
        "summary": f"Server-sent events, one a record: {', '.join(TYPES)}",
        "parameters": _query(shapes.EventQuery),
        "responses": {
            "200": {
                "description": "A stream that stays open",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            },
            **_problems(),
        },
    }


def _problems() -> Data:
    return {str(code): _json({"$ref": "#/components/schemas/Error"}, what) for code, what in _ERRORS.items()}


def _json(schema: Data, description: str) -> Data:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _path(path: str) -> list[Data]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"{(\w+)}", path)
    ]


def _query(model: type[BaseModel]) -> list[Data]:
    schema = model.model_json_schema()
    return [{"name": name, "in": "query", "schema": one} for name, one in schema["properties"].items()]


def _schema(model: type[BaseModel], parts: Data) -> Data:
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    parts.update(schema.pop("$defs", {}))
    parts[model.__name__] = schema
    return {"$ref": f"#/components/schemas/{model.__name__}"}
