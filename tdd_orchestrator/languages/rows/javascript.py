"""JavaScript and TypeScript: node:test, jest, vitest, mocha, chai, node's assert."""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.languages.base import (
    CodeSample,
    Edit,
    Language,
    Node,
    Sample,
    Twins,
    after_brace,
    before_brace,
    opposites,
    unquote,
)


def _close(body: Node, statement: str) -> list[Edit]:
    if body.type == "statement_block":
        return before_brace(body, statement)
    start, end = body.start_byte, body.end_byte
    return [(start, start, "{ const it_ = ("), (end, end, f"); {statement} }}")]


def _open(body: Node, statement: str) -> list[Edit]:
    if body.type == "statement_block":
        return after_brace(body, statement)
    start, end = body.start_byte, body.end_byte
    return [(start, start, f"{{ {statement} return ("), (end, end, "); }")]


def _title(text: str) -> str:
    """Return a test's title: of one that is computed, its strings, and ``${...}`` for all that is none."""
    title, expression, depth = "", "", 0
    for at, piece in enumerate(_STRING.split(text)):
        if at % 2 and depth == 0:
            title += _filled(expression) + unquote(piece)
            expression = ""
        else:
            expression += piece
            depth += 0 if at % 2 else sum(map(piece.count, "([{")) - sum(map(piece.count, ")]}"))
    return title + _filled(expression)


def _filled(expression: str) -> str:
    inner = re.sub(r"[{}\s]+", " ", expression).strip("+ ")
    return f"${{{inner}}}" if inner else ""


_STRING = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)""", re.DOTALL)


def _case(name: str) -> str:
    """Return a pattern: %i, $a and ${a} in a title stand for values."""
    return ".*".join(map(re.escape, re.split(r"%[sdifjop#c%]|\$\{[^}]*\}|\$[\w.]+", name)))


def _plant(names: tuple[str, ...]) -> str:
    lines = [f"function {name}() {{ throw new Error('not implemented'); }}" for name in names]
    return "\n".join([*lines, f"module.exports = {{ {', '.join(names)} }};", ""])


def _plant_typed(names: tuple[str, ...]) -> str:
    return "".join(
        f"export function {name}(...args: any[]): any {{ throw new Error('not implemented'); }}\n"
        for name in names
    )


_CALLBACK = """[(arrow_function parameter: (_)? @handle body: (_) @body)
  (arrow_function parameters: (formal_parameters . (_)? @handle) body: (_) @body)
  (function_expression parameters: (formal_parameters . (_)? @handle) body: (_) @body)]"""
_TITLE = "[(string) (template_string)] @name"
_ANY_TITLE = "(_) @name"
_TEST = (
    '(#match? @f "^(test|it|specify|xit|fit|xtest|tape|(Deno|QUnit|t|tap)\\\\.test)'
    '(\\\\.\\\\w+)*(\\\\(|`|$)")'
)
_GROUP = (
    '(#match? @f "^(describe|context|suite|xdescribe|fdescribe|test\\\\.describe|QUnit\\\\.module)'
    '(\\\\.\\\\w+)*(\\\\(|`|$)")'
)
_VALUES = (
    "^(toBe|toEqual|toStrictEqual|toContain|toContainEqual|toMatchObject|toHaveLength|toBeCloseTo|equal|equals|eql|eq"
    "|deep|include|lengthOf|toHaveBeenCalledWith|toHaveBeenLastCalledWith|toHaveBeenCalledTimes|toHaveProperty|toMatch"
    "|toHaveBeenCalledOnceWith|toBeGreaterThan|toBeLessThan|toHaveReturnedWith)$"
)

_SHAPES = f"""
(call_expression function: (member_expression object: (_) @o property: (_) @f) arguments: (arguments .
  (_) @left . (_) @right)
  (#match? @o "^(assert|t|chai|expect)\\\\b") (#match? @f "^(strict|deep|deepStrict|same|is|deepE)?([eE]quals?|[eE]ql|is|same|deep)$"))
(call_expression function: (member_expression object: (_) @o property: (_) @f) arguments: (arguments .
  (_) @expected . )
  (#match? @o "expect|should") (#not-match? @o "\\\\.not\\\\b") (#match? @f "{_VALUES}")
  (#not-match? @f "Greater|Less|toMatch$|toHaveProperty"))
(call_expression function: (member_expression object: (_) @o property: (_) @f) arguments: (arguments .
  (string) @expected .)
  (#match? @o "expect") (#not-match? @o "\\\\.not\\\\b") (#match? @f "^(toThrow|toThrowError|toMatch)$"))
(call_expression function: (member_expression object: (_) @o property: (_) @flip)
  (#match? @o "expect\\\\(") (#not-match? @o "\\\\.not\\\\b")
    (#match? @flip "^to[A-Z]|^(equal|above|below|throw|a|an|match|property|include|contain|least|most)$"))
(member_expression object: (_) @o property: (_) @flip (#match? @o "^expect\\\\(.*\\\\)\\\\.(to|to\\\\.be)$")
  (#match? @flip "^(true|false|null|undefined|ok|empty|exist)$"))
(call_expression function: (member_expression object: (member_expression object: (_) @keep property:
  (_) @n) @negated)
  (#eq? @n "not") (#match? @keep "expect\\\\("))
(call_expression function: (member_expression object: (_) @o property: (_) @flip)
  (#match? @o "^(assert|t)(\\\\.strict)?$")
  (#match? @flip "^(throws|rejects|doesNotThrow|doesNotReject|match|doesNotMatch|notEqual|notStrictEqual|notDeepEqual|notDeepStrictEqual|not|notSame|isTrue|isFalse|isNull|isDefined)$"))
(call_expression function: (member_expression object: (_) @o property: (_) @f) arguments: (arguments . (_) .
  (_) @expected)
  (#match? @o "^(assert|t)$") (#match? @f "^(throws|rejects)$"))
(call_expression function: (_) @f arguments: (arguments . (_) @truth)
  (#match? @f "^(assert(\\\\.(ok|isTrue|isOk|isFalse))?|t\\\\.(true|ok|false|truthy|falsy|assert))$"))
"""

_HELPER = """
;function shift_{token}(v) {{
  if (typeof v === "boolean") return !v;
  if (typeof v === "number") return Number.isNaN(v) ? 7 : Number.isFinite(v) ? v + 7 : 7;
  if ((typeof v === "string" || Array.isArray(v)) && v.length > 50) return v.slice(0, 1);
  if (typeof v === "string") return v + "~";
  if (typeof v === "bigint") return v + 7n;
  if (Array.isArray(v)) return [...v, "~"];
  if (v && Object.getPrototypeOf(v) === Object.prototype) return {{ ...v, "~": "~" }};
  if (typeof v === "function" && v.prototype instanceof Error || v === Error) return class extends v {{}};
  return {{ "~": "{token}" }};
}}
"""

_TAPE = """
(call_expression function: (identifier) @r arguments: (arguments . (string) @m) (#eq? @r "require")
  (#match? @m "^.tape.$"))
(import_statement source: (string) @m (#match? @m "^.tape.$"))
"""
"""Files for tape, in which whatever a test throws ends the whole run."""

_TWINS = Twins(
    fail='throw new Error("{a}" + "{b}");',
    fail_when=((_TAPE, '{handle}.fail("{a}" + "{b}");'),),
    shapes=_SHAPES,
    wrap="shift_{token}({e})",
    helper=_HELPER,
    flip="not.{e}",
    opposites=opposites(
        "throws:doesNotThrow  rejects:doesNotReject  match:doesNotMatch  equal:notEqual  "
        "strictEqual:notStrictEqual  deepEqual:notDeepEqual  deepStrictEqual:notDeepStrictEqual  is:not  "
        "same:notSame  isTrue:isFalse  isNull:isNotNull  isDefined:isUndefined"
    ),
    literals=("number", "string", "true", "false"),
    calls=("call_expression", "new_expression", "await_expression"),
    inner=f"""(call_expression function: (_) @f arguments: (arguments . {_ANY_TITLE} {_CALLBACK})
  (#match? @f "^\\\\w+\\\\.(test|it)$"))""",
    returns=("return_statement",),
    ends="""
((expression_statement (call_expression function: [(identifier) @handle
  (member_expression object: (identifier) @handle)])) @end (#match? @end "^\\\\w+(\\\\.end)?\\\\(\\\\);?$"))
""",
    scopes=(
        "arrow_function",
        "function_expression",
        "function_declaration",
        "method_definition",
        "generator_function",
    ),
    catches=("try_statement",),
    branches=("if_statement", "try_statement", "switch_statement", "catch_clause", "ternary_expression"),
    helper_calls="(call_expression function: (identifier) @name)",
    nothing=lambda function: "return;",
    close=_close,
    open=_open,
    plant=_plant,
)

_FUNCTIONS = """
(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(method_definition name: (_) @name body: (_) @body) @function
(variable_declarator name: (identifier) @name value: [(arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @function
(pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body:
  (_) @body)]) @function
(assignment_expression left: (member_expression property: (_) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
"""
_FIELD = (
    "({field} property: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: "
    "(_) @body)]) @function"
)

_VERSION = """
((variable_declarator name: (identifier) @n value: (string)) @release (#match? @n "^(version|VERSION)$"))
((assignment_expression left: (member_expression property: (_) @n) right: (string)) @release
  (#match? @n "^(version|VERSION)$"))
"""
_TYPES = """
(type_annotation) @inert
(interface_declaration) @inert
(type_alias_declaration) @inert
(export_statement declaration: [(interface_declaration) (type_alias_declaration)]) @inert
(import_statement "type") @inert
"""
_LOCALS = """
(variable_declarator name: (identifier) @local)
(variable_declarator name: (array_pattern (identifier) @local))
(pair key: (property_identifier) @fixed)
(shorthand_property_identifier) @fixed
(shorthand_property_identifier_pattern) @fixed
(for_in_statement left: (identifier) @local)
"""

LANGUAGE = Language(
    name="JavaScript",
    suffixes=(".js", ".mjs", ".cjs", ".jsx"),
    grammar="tree_sitter_javascript",
    twins=_TWINS,
    tests=f"(call_expression function: (_) @f arguments: (arguments . {_ANY_TITLE} {_CALLBACK}) {_TEST}) @test",
    computed=_title,
    functions=_FUNCTIONS + _FIELD.format(field="field_definition"),
    groups=f"""
(call_expression function: (_) @f arguments: (arguments . {_TITLE}
  [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) {_GROUP}) @group
(class_declaration name: (_) @name body: (_) @body) @group
""",
    wrappers=("expression_statement",),
    tables="""
(call_expression function: (call_expression function: (member_expression property: (_) @f) arguments:
  (arguments . (array) @rows))
  (#eq? @f "each"))
(call_expression function: (call_expression function: (member_expression property: (_) @f) arguments:
  (arguments . (identifier) @used))
  (#eq? @f "each"))
(call_expression function: (member_expression object: (array) @rows property: (_) @f) arguments:
  (arguments . (_) @body)
  (#eq? @f "forEach"))
(call_expression function: (member_expression object: (identifier) @used property: (_) @f) arguments:
  (arguments . (_) @body)
  (#eq? @f "forEach"))
(for_in_statement right: (array) @rows body: (_) @body)
(for_in_statement right: (identifier) @used body: (_) @body)
(variable_declarator name: (identifier) @name value: (array) @rows)
""",
    assertions="""
(call_expression function: (identifier) @f (#match? @f "^(expect|assert|should)")) @assertion
(call_expression function: (member_expression object: (identifier) @o)
  (#match? @o "^(assert|sinon|cy|t|chai)$")) @assertion
(member_expression property: (_) @f (#eq? @f "should")) @assertion
""",
    messages="""
(call_expression function: (member_expression object: (_) @o property: (_) @f) arguments: (arguments
  . (_) . (_) . [(string) (template_string)] @message .)
  (#match? @o "^(assert|t)$") (#match? @f "[eE]qual$|^(is|same|not)$"))
""",
    marks="""
(call_expression function: (member_expression) @mark
  (#match? @mark "^(test|it|describe|suite|context|t|this)(\\\\.\\\\w+)*\\\\.(skip|only|todo|failing|fails|fixme|skipIf)$"))
(call_expression function: (call_expression function: (member_expression) @mark)
  (#match? @mark "^(test|it|describe)(\\\\.\\\\w+)*\\\\.(skipIf|runIf|skip|only)"))
(call_expression function: (identifier) @mark (#match? @mark "^(xit|xtest|xdescribe|fit|fdescribe)$"))
(pair key: (_) @mark (#match? @mark "^(skip|only|todo)$"))
""",
    strings=("string_fragment", "escape_sequence", "regex_pattern"),
    newlines=True,
    quotes_equal=True,
    locals=_LOCALS,
    inert=_VERSION,
    public="""
(export_statement declaration: (_ name: (_) @public))
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @public)))
(export_statement (export_clause (export_specifier name: (_) @public)))
(assignment_expression left: (member_expression object: (_) @o property: (_) @public)
  (#match? @o "^(module\\\\.)?exports$"))
(assignment_expression left: (member_expression) @m right: (object [(shorthand_property_identifier) @public
  (pair key: (_) @public)]) (#eq? @m "module.exports"))
""",
    imports="""
(import_statement (import_clause (named_imports (import_specifier name: (_) @name))) source:
  (_) @module) @import
(import_statement (import_clause [(identifier) (namespace_import)] @name) source: (_) @module) @import
(import_statement source: (_) @module) @import
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @name (pair_pattern key:
  (_) @name)])
  value: (call_expression function: (identifier) @r arguments: (arguments . (string) @module))
    (#eq? @r "require")) @import
(call_expression function: (identifier) @r arguments: (arguments . (string) @module)
  (#eq? @r "require")) @import
""",
    case=_case,
    samples=(
        Sample(
            "test/kata.test.js",
            """\
const { test, describe } = require('node:test');
const assert = require('node:assert');
describe('kata', () => {
  it('doubles', () => { assert.equal(double(2), 4); });
  it.skip(`goes on ${n}`, async function () { return expect(double(2)).toBe(limit); });
  it('short', () => expect(f).not.toBeNull());
  it('throws', () => { expect(() => f()).toThrow('bad'); expect(x).toBeTruthy(); });
});
test.each([[1, 2]])('rows %i', (a, b) => { expect(double(a)).toEqual(b); });
for (const n of [1]) it("row " + f(n), () => { expect(double(n)).toBe(2); });
test('rejects', async (t) => { await assert.rejects(f()); await t.test('sub', () => { assert(g()); }); });
""",
            titles=(
                "kata > doubles",
                "kata > goes on ${n}",
                "kata > short",
                "kata > throws",
                "rows %i",
                "row ${f(n)}",
                "rejects",
            ),
            poisoned=(
                '4); \nthrow new Error("{a}" + "{b}");',
                "{ const it_ = (expect(f).not.toBeNull()); throw",
            ),
            shifted=(
                "toBe(shift_token(limit))",
                "expect(f).toBeNull()",
                "toThrow('bad~')",
                "doesNotReject",
                "assert(!(g()))",
            ),
            marks=("skip",),
        ),
        Sample(
            "test/unit.js",
            """\
QUnit.module('kata', (hooks) => { QUnit.test('doubles', (assert) => { assert.equal(double(2), 4); }); });
tap.test('triples', (t) => { t.equal(triple(2), 6); t.end(); });
""",
            titles=("kata > doubles", "triples"),
        ),
        Sample(
            "test/sum.js",
            """\
const test = require('tape');
test('adds', function (t) { t.equal(sum(2, 2), 4); t.end(); });
""",
            titles=("adds",),
            poisoned=('{ t.fail("{a}" + "{b}"); t.end(); }',),
            shifted=("t.equal(sum(2, 2), ",),
        ),
        CodeSample(
            "src/kata.js",
            """\
const { readFile, writeFile: w } = require('fs');
import def, { a, b as c } from './lib.js';
exports.double = double;
function double(n) { return n * 2; }
export const triple = (n) => n * 3;
class Kata { get value() { return 1; } }
""",
            functions=("double", "triple", "Kata.value"),
            public=("double", "triple"),
            imports=("fs: readFile writeFile", "./lib.js: a b def"),
            raises=(
                'double(n) { throw new Error("{a}" + "{b}");',
                '{ throw new Error("{a}" + "{b}"); return (n * 3); }',
            ),
            nothing=("double(n) { return;",),
        ),
    ),
)

TYPESCRIPT = replace(
    LANGUAGE,
    name="TypeScript",
    suffixes=(".ts", ".mts", ".cts"),
    grammar="tree_sitter_typescript",
    entry="language_typescript",
    functions=_FUNCTIONS
    + (
        "(public_field_definition name: (_) @name value: [(arrow_function body: (_) @body) "
        "(function_expression body: (_) @body)]) @function"
    ),
    inert=_VERSION + _TYPES,
    twins=replace(_TWINS, helper=_HELPER.replace("(v)", "(v: any): any", 1), plant=_plant_typed),
    samples=(
        Sample(
            "kata.test.ts",
            (
                "import { test } from 'vitest';\ntest('doubles', () => { expect(double(2) as "
                "number).toEqual(4); });\n"
            ),
            titles=("doubles",),
            poisoned=('throw new Error("{a}" + "{b}");',),
            shifted=("toEqual(",),
            assertions=1,
        ),
    ),
)
TSX = replace(TYPESCRIPT, name="TSX", suffixes=(".tsx",), entry="language_tsx", samples=())
