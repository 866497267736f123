"""Change the expected values of a test's assertions.

A language's `shapes` query says what an assertion looks like, by the captures of each match:

    @left @right   an equality: the side that no call computes gets another value
    @expected      a value that is expected for certain
    @truth         a condition: it is negated
    @flip          the name of an assertion: its contrary takes its place
    @negated @keep a negation: what it negates takes its place

The first two are strong: they also find code that is equal to everything. The others are used where a test
has no strong one outside its branches. A function of the same file that asserts, called by the test, gets a
shifted copy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tdd_orchestrator.languages.base import Edit, Node
from tdd_orchestrator.languages.functions import Function, functions_of
from tdd_orchestrator.languages.parse import Source, ancestors, walk

_INTEGER = re.compile(r"(?P<digits>\d[\d_]*)(?P<suffix>[a-zA-Z]\w*)?")
_FLOAT = re.compile(r"(?P<whole>\d[\d_]*)(?P<rest>\.\d[\d_]*(?:[eE][+-]?\d+)?[a-zA-Z]?\w*)")
_RADIX = re.compile(r"(0[xXbBoO][\da-fA-F_]*?)([\da-fA-F])([uUlLn]\w*)?")
_TEXT = re.compile(
    r"""(?P<head>[bBrRuUfL@$]{0,2})(?P<quote>'''|\"\"\"|['"`])(?P<text>.*)(?P=quote)""", re.DOTALL
)
PLAIN = re.compile(r"""\d[\d_]*(\.\d+)?|'[^'\\#$\n]*'|"[^"\\#$\n]*"|true|false|True|False""")
_LOOSE = ("Almost", "Count", "CloseTo", "Match")  # assertions that several values satisfy
_FLIPPED = {"true": "false", "false": "true", "True": "False", "False": "True"}


def halves(token: str) -> dict[str, str]:
    """Return the token in two halves. Runners print source lines, so a whole token in the source proves
    nothing."""
    middle = len(token) // 2
    return {"a": token[:middle], "b": token[middle:]}


def _step(token: str) -> int:
    return 3 + sum(map(ord, token)) % 5


def other_literal(text: str, token: str) -> str:
    """Return the source of a literal of the same type with another value, drawn from the token."""
    if text in _FLIPPED:
        return _FLIPPED[text]
    if match := _RADIX.fullmatch(text):
        return match[1] + ("1" if match[2] == "0" else "0") + (match[3] or "")
    if match := _FLOAT.fullmatch(text):
        return _other_integer(match["whole"], token) + match["rest"]
    if match := _INTEGER.fullmatch(text):
        return _other_integer(match["digits"], token) + (match["suffix"] or "")
    if match := _TEXT.fullmatch(text):
        if match["quote"] == "'" and len(match["text"]) == 1:
            return f"{match['head']}'{'~' if match['text'] != '~' else '^'}'"
        return f"{match['head']}{match['quote']}{match['text']}~{match['quote']}"
    return text + "~"


def _other_integer(digits: str, token: str) -> str:
    """Return another number that fits every type the first one fits."""
    value, step = int(digits.replace("_", "")), _step(token)
    return str(value - step if value > step else value + step)


def is_plain(text: str) -> bool:
    """Return whether the source is a literal that may be replaced by another literal in any language."""
    return PLAIN.fullmatch(text) is not None


_COLLECTIONS = ("tuple", "list", "dictionary", "set", "array", "object", "hash")
_NO_VALUES = ("keyword_argument", "named_argument", "comment", "block", "do_block", "pair")


@dataclass(frozen=True, eq=False)
class _Shape:
    node: Node
    edits: tuple[Edit, ...]
    strong: bool


def shift_edits(source: Source, text: str, body: Node, token: str) -> list[Edit]:
    """Return the edits that shift the assertions under a node; none where it has no known shape."""
    edits = _own_edits(source, body, token)
    for match in source.matches(source.language.twins.helper_calls, body):
        name = match["name"]
        for helper in _named(functions_of(text, source.language), source.text(name)):
            inner = _own_edits(source, helper.body, token)
            if inner and not (helper.node.start_byte <= body.start_byte < helper.node.end_byte):
                edits.append((name.start_byte, name.end_byte, f"{helper.name}_{token}"))
                edits += _copy(source, helper, inner, token)
    return edits


def same_sides(source: Source, body: Node) -> str:
    """Return what the equalities under a node have on both of their sides; "" where one has two different
    sides, or there is none."""
    sides = [
        ("".join(source.text(match["left"]).split()), "".join(source.text(match["right"]).split()))
        for match in source.matches(source.language.twins.shapes, body)
        if "left" in match and "right" in match
    ]
    return sides[0][0] if sides and all(left == right for left, right in sides) else ""


def count_values(source: Source, body: Node) -> int:
    """Return how many assertions under a node compare with a value."""
    matches = source.matches(source.language.twins.shapes, body)
    return sum("expected" in match or ("left" in match and "right" in match) for match in matches)


def fixed_results(source: Source) -> list[tuple[str, str]]:
    """Return the calls with literal arguments that assertions compare with one literal, each with that literal."""
    found = []
    for match in source.matches(source.language.twins.shapes, source.root):
        if any(word in source.text(match["f"]) for word in _LOOSE if "f" in match):
            continue
        sides = [match[name] for name in ("left", "right") if name in match]
        if "expected" in match and "o" in match:
            sides = [*_arguments(match["o"]), match["expected"]]
        calls = [side for side in sides if _is_fixed_call(source, side)]
        values = [side for side in sides if _is_literal(source, side)]
        if len(sides) == 2 and len(calls) == len(values) == 1:
            found.append((source.text(calls[0]), source.text(values[0]).replace("'", '"')))
    return found


def _arguments(call: Node) -> list[Node]:
    inside = call.child_by_field_name("arguments")
    return list(inside.named_children) if inside else []


def _is_fixed_call(source: Source, node: Node) -> bool:
    function = node.child_by_field_name("function")
    if node.type not in source.language.twins.calls or function is None or _has_call(source, function):
        return False
    return all(_is_literal(source, one) for one in _arguments(node))


def _is_literal(source: Source, node: Node) -> bool:
    """Whether a node is a plain literal, with or without a sign; a string with expressions in it is none."""
    if node.type in source.language.twins.literals:
        return all(not inner.child_by_field_name("expression") for inner in walk(node))
    inside = node.child_by_field_name("argument")
    return inside is not None and node.child_count == 2 and _is_literal(source, inside)


def _named(functions: tuple[Function, ...], name: str) -> list[Function]:
    return [function for function in functions if function.name == name]


def _copy(source: Source, helper: Function, inner: list[Edit], token: str) -> list[Edit]:
    """Insert a shifted copy of a helper behind it, under a name of its own."""
    from tdd_orchestrator.languages.find import whole

    start, end = whole(source.language, helper.node)
    name = helper.node.child_by_field_name("name")
    if name is None:
        return []
    renamed = (name.start_byte, name.end_byte, f"{helper.name}_{token}")
    line = source.data.rfind(b"\n", 0, start) + 1
    indent = source.slice(line, start)
    copied = _piece(source, [*inner, renamed], start, end)
    return [(end, end, f"\n\n{indent if not indent.strip() else ''}{copied}")]


def _piece(source: Source, edits: list[Edit], start: int, end: int) -> str:
    parts, at = [], start
    for first, last, new in sorted(dict.fromkeys(edits)):
        if first >= at:
            parts += [source.slice(at, first), new]
            at = last
    return "".join([*parts, source.slice(at, end)])


def _own_edits(source: Source, body: Node, token: str) -> list[Edit]:
    shapes = [shape for shape in _shapes(source, body, token) if shape.edits]
    strong = [shape for shape in shapes if shape.strong]
    branches = source.language.twins.branches
    sure = any(not any(n.type in branches for n in ancestors(shape.node, body)) for shape in strong)
    weak = [] if sure else [s for s in shapes if not s.strong and not _is_part(source, body, s, strong)]
    return [edit for shape in _outermost([*strong, *weak]) for edit in shape.edits]


def _is_part(source: Source, body: Node, weak: _Shape, strong: list[_Shape]) -> bool:
    """Whether a weak shape is part of an assertion that has a strong one: to change both changes nothing."""
    twins, spans = source.language.twins, [(first, last) for first, last, _ in weak.edits]
    for around in ancestors(weak.node, body):
        if around.type in (*twins.calls, *twins.scopes):
            spans += [(around.start_byte, around.end_byte)] if around.type in twins.calls else []
            break
    return any(a < last and first < b for a, b in spans for s in strong for first, last, _ in s.edits)


def _outermost(shapes: list[_Shape]) -> list[_Shape]:
    return [s for s in shapes if not any(o is not s and _holds(o, s) for o in shapes)]


def _holds(outer: _Shape, inner: _Shape) -> bool:
    return any(
        a[0] <= b[0] and b[1] <= a[1] and a[:2] != b[:2]
        for a in outer.edits
        for b in inner.edits
        if a[2] != b[2]
    )


def _shapes(source: Source, body: Node, token: str) -> list[_Shape]:
    twins, found = source.language.twins, []
    for match in source.matches(twins.shapes, body):
        strong = False
        if "left" in match or "expected" in match or "right" in match:
            node = _expected_side(source, match)
            edits, strong = _other_value(source, node, token), True
        elif "truth" in match:
            node = match["truth"]
            form = "{e}" if _always_holds(node) else twins.negate
            edits = [(node.start_byte, node.end_byte, form.format(e=source.text(node), token=token))]
        elif "negated" in match:
            node = match["negated"]
            edits = [(node.start_byte, node.end_byte, source.text(match["keep"]))]
        elif "flip" in match:
            node = match["flip"]
            edits = _contrary(source, node)
        else:
            continue
        if not _no_value(node):
            found.append(_Shape(node, tuple(edits), strong))
    return found


def _always_holds(node: Node) -> bool:
    """Whether a condition is a collection with elements, such as a tuple of a comparison and a message: to
    negate it would be noticed, whatever the code does."""
    elements = node.named_children if node.type in _COLLECTIONS else ()
    return any("splat" not in one.type and "spread" not in one.type for one in elements)


def _no_value(node: Node) -> bool:
    return node.type in _NO_VALUES or "splat" in node.type or "spread" in node.type


def _contrary(source: Source, node: Node) -> list[Edit]:
    twins, word = source.language.twins, source.text(node)
    pairs = dict(twins.opposites)
    pairs |= {new: old for old, new in twins.opposites if new not in pairs}
    new = pairs.get(word) or (twins.flip.format(e=word) if twins.flip else "")
    return [(node.start_byte, node.end_byte, new)] if new else []


def _has_call(source: Source, node: Node) -> bool:
    calls = source.language.twins.calls
    return node.type in calls or any(inner.type in calls for inner in walk(node))


def _expected_side(source: Source, match: dict[str, Node]) -> Node:
    if "expected" in match:
        return match["expected"]
    left, right = match.get("left"), match.get("right")
    if left is None or right is None:
        only = left or right
        assert only is not None
        return only
    called, plain = _has_call(source, left), _has_call(source, right)
    if called != plain:
        return right if called else left
    return right if source.language.twins.expected == "right" else left


def _other_value(source: Source, node: Node, token: str) -> list[Edit]:
    twins, text = source.language.twins, source.text(node)
    if twins.wrap and not is_plain(text):
        return [(node.start_byte, node.end_byte, twins.wrap.format(e=text, token=token))]
    literals = [n for n in (node, *walk(node)) if n.type in twins.literals and not _is_index(n)]
    if literals or not is_plain(text):
        return [(n.start_byte, n.end_byte, other_literal(source.text(n), token)) for n in literals]
    return [(node.start_byte, node.end_byte, other_literal(text, token))]


def _is_index(node: Node) -> bool:
    outer = node.parent
    return outer is not None and "index" in outer.type
