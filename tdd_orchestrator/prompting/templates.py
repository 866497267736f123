"""Role files and skills, found and read: front matter, and a template held to a short list of what it may do.

A template of the user's repository is code that others wrote: calls, arithmetic, concatenation and assignment
are refused at load, so that it can neither reach anything nor grow; an unknown variable is an error at load
too.

Skills are folders with a SKILL.md. They change what a role knows, never what it may do. Ours are shipped; a
repository adds its own in ``.tdd/skills`` (for every role, unless its front matter has ``roles`` or ``when``);
skills of the user's other agents (``.claude/skills`` here and at home) are read where they are, and used when a role
names them or they name a role of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.model.diagnosis import SPECIALISTS
from tdd_orchestrator.model.errors import BadConfig
from tdd_orchestrator.text import middle_cut, plain

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import ImmutableSandboxedEnvironment


ROLES = ("test_list", "red", "green", "refactor", "analyze", "replan", *SPECIALISTS)
OVERRIDES = Path(".tdd") / "prompts"
LARGEST = 64 << 10  # bytes of a role file
_DEEPEST = 2  # loops in loops
_FILTERS = ("trim", "join", "length", "upper", "lower", "first", "last", "title")
_NODES = frozenset(
    [
        "Template",
        "Output",
        "TemplateData",
        "Name",
        "If",
        "For",
        "Getattr",
        "Const",
        "Test",
        "Filter",
        "Compare",
        "Operand",
        "Not",
        "And",
        "Or",
        "CondExpr",
        "Include",
        "Tuple",
        "List",
    ]
)
_TOOLS = frozenset({"read", "search", "edit", "run"})


@dataclass(frozen=True, slots=True)
class Role:
    """One role file. ``tools`` are of read, search, edit, run; ``output`` is the file it must leave, or
    nothing."""

    name: str
    description: str
    tools: tuple[str, ...]
    model: str
    output: str
    skills: tuple[str, ...]
    body: str
    path: Path

    @property
    def read_only(self) -> bool:
        return "edit" not in self.tools


def shipped() -> Path:
    """The folder ``prompts/``: inside the installed package, or beside it in a checkout."""
    inside = Path(__file__).parents[1] / "prompts"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "prompts"


def find_role(name: str, root: Path | None = None) -> Role:
    """The role file: the repository's own (``.tdd/prompts/NAME.md``), else ours. Raises BadConfig."""
    if name not in ROLES:
        raise BadConfig(f"There is no role '{name}'.", f"Roles: {', '.join(ROLES)}.")
    own = root / OVERRIDES / f"{name}.md" if root else None
    path = own if own and own.is_file() else shipped() / f"{name}.md"
    return _read(name, path, path.stat().st_mtime_ns)


def own_files(root: Path) -> list[Path]:
    """The role files of the repository, and what else has the look of one."""
    return sorted((root / OVERRIDES).glob("*.md"))


@lru_cache(maxsize=64)
def _read(name: str, path: Path, stamp: int) -> Role:
    import frontmatter
    import yaml

    data = path.read_bytes()[: LARGEST + 1]
    if len(data) > LARGEST:
        raise BadConfig(f"{path}: a role file may have {LARGEST} bytes at most.")
    try:
        post = frontmatter.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise BadConfig(f"{path}: the front matter cannot be read: {str(error).splitlines()[0]}.") from error
    meta = post.metadata
    fields = {key: _text(path, key, meta.get(key)) for key in ("name", "description", "model", "output")}
    for key in ("name", "description"):
        if not fields[key]:
            raise BadConfig(f"{path}: the front matter needs '{key}'.")
    if fields["name"] != name:
        raise BadConfig(f"{path}: name is '{fields['name']}', the file says '{name}'.")
    tools = _names(path, "tools", meta.get("tools"))
    if set(tools) - _TOOLS:
        raise BadConfig(
            f"{path}: unknown tool '{sorted(set(tools) - _TOOLS)[0]}'.",
            f"Tools: {', '.join(sorted(_TOOLS))}.",
        )
    return Role(
        name,
        fields["description"],
        tools,
        fields["model"],
        fields["output"],
        _names(path, "skills", meta.get("skills")),
        post.content.strip() + "\n",
        path,
    )


def _text(path: Path, key: str, value: object) -> str:
    if value is not None and not isinstance(value, str):
        raise BadConfig(f"{path}: '{key}' must be text.")
    return value or ""


def _names(path: Path, key: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    found = re.split(r"[,\s]+", value.strip()) if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise BadConfig(f"{path}: '{key}' must be a list of words.")
    return tuple(one for one in found if one)


@lru_cache(maxsize=64)
def load(role: Role, known: frozenset[str]) -> Template:
    """The role's template, checked. Raises BadConfig with file and line for what it may not do or does not
    know."""
    from jinja2 import TemplateSyntaxError

    environment = _environment()
    try:
        _check(role.path, role.body, known, environment)
        return environment.from_string(role.body)
    except TemplateSyntaxError as error:
        raise BadConfig(f"{role.path}: line {error.lineno} of the text: {error.message}.") from error


def _check(path: Path, text: str, known: frozenset[str], environment: ImmutableSandboxedEnvironment) -> None:
    from jinja2 import meta, nodes

    tree = environment.parse(text)
    for node in tree.find_all(nodes.Node):
        kind = type(node).__name__
        if kind not in _NODES or (isinstance(node, nodes.Filter) and node.name not in _FILTERS):
            what = f"filter '{node.name}'" if isinstance(node, nodes.Filter) else f"'{kind}'"
            raise BadConfig(f"{path}: line {node.lineno} of the text: {what} is not allowed in a prompt.")
    _check_depth(path, tree, 0)
    unknown = meta.find_undeclared_variables(tree) - known
    if unknown:
        raise BadConfig(
            f"{path}: unknown variable '{sorted(unknown)[0]}'.", f"Known: {', '.join(sorted(known))}."
        )
    parts = shipped() / "parts"
    for name in meta.find_referenced_templates(tree):
        part = parts / (name or "")
        body = _part(name) if name and part.parent == parts else None
        if body is None:
            raise BadConfig(f"{path}: there is no part '{name}'.")
        _check(part, body, known, environment)


def _part(name: str) -> str | None:
    """The text of a part; None where there is none. OSError where the machine failed: jinja's own loader says
    of a file that cannot be looked at that there is none."""
    try:
        return (shipped() / "parts" / name).read_text(encoding="utf-8")
    except (FileNotFoundError, IsADirectoryError):
        return None


def _check_depth(path: Path, node: Any, depth: int) -> None:
    from jinja2 import nodes

    for child in node.iter_child_nodes():
        deeper = depth + isinstance(child, nodes.For)
        if deeper > _DEEPEST:
            raise BadConfig(f"{path}: line {child.lineno} of the text: loops may be {_DEEPEST} deep at most.")
        _check_depth(path, child, deeper)


@lru_cache(maxsize=1)
def _environment() -> ImmutableSandboxedEnvironment:
    from jinja2 import FunctionLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(_part),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.globals.clear()
    return environment


_LARGEST = 64 << 10  # bytes read of one SKILL.md
BODY = 4_000  # characters of one skill in a prompt
MOST = 3  # skills in one prompt
_FOLDERS = 200  # looked at in one place
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@dataclass(frozen=True, slots=True)
class Skill:
    """``origin`` is shipped, project or agent (another agent's folder); empty ``roles`` and ``when`` mean
    any."""

    name: str
    description: str
    body: str
    origin: str
    roles: tuple[str, ...] = ()
    when: tuple[str, ...] = ()


def load_skills(root: Path | None, home: Path | None = None) -> tuple[tuple[Skill, ...], tuple[str, ...]]:
    """All skills, the repository's own before ours where names are equal; and one sentence for each
    unreadable one."""
    places = [(shipped() / "skills", "shipped")]
    if root:
        places = [(root / ".tdd" / "skills", "project"), *places, (root / ".claude" / "skills", "agent")]
    if home:
        places.append((home / ".claude" / "skills", "agent"))
    found: dict[str, Skill] = {}
    troubles: list[str] = []
    for folder, origin in places:
        for path in _files(folder):
            skill = _read_skill(path, origin)
            if isinstance(skill, str):
                troubles.append(skill)
            else:
                found.setdefault(skill.name, skill)
    return tuple(found.values()), tuple(troubles)


def choose_skills(skills: Sequence[Skill], role: Role, kinds: Iterable[str] = ()) -> tuple[Skill, ...]:
    """The skills for this role and these kinds of failure (categories, verdicts, routing types), at most
    three.

    Ours need both a role and a kind that fit, or to be named by the role.
    """
    wanted = {kind.lower() for kind in kinds}
    ranked = [
        (rank, number, skill) for number, skill in enumerate(skills) if (rank := _rank(skill, role, wanted))
    ]
    return tuple(skill for _, _, skill in sorted(ranked, key=lambda row: (-row[0], row[1]))[:MOST])


def _rank(skill: Skill, role: Role, kinds: set[str]) -> int:
    """0 = not for this; higher is nearer."""
    if skill.name in role.skills:
        return 3
    if skill.origin == "agent" and not skill.roles:
        return 0
    if (skill.roles and role.name not in skill.roles) or (skill.when and not kinds & set(skill.when)):
        return 0
    return 2 if skill.origin == "project" else 1


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.glob("*/SKILL.md") if path.is_file())[:_FOLDERS]
    except OSError:
        return []


def _read_skill(path: Path, origin: str) -> Skill | str:
    import frontmatter
    import yaml

    try:
        with path.open("rb") as file:
            post = frontmatter.loads(file.read(_LARGEST).decode("utf-8", "replace"))
    except (OSError, yaml.YAMLError) as error:
        return f"{path}: the skill cannot be read: {str(error).splitlines()[0]}."
    name = post.metadata.get("name", path.parent.name)
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name != path.parent.name:
        return f"{path}: the skill's name must be its folder's, in lower case with hyphens."
    description = post.metadata.get("description")
    if not isinstance(description, str):
        return f"{path}: the skill needs a description."
    meta = post.metadata
    body = middle_cut(plain(post.content.strip()), BODY)
    return Skill(name, plain(description), body, origin, _words(meta.get("roles")), _words(meta.get("when")))


def _words(value: Any) -> tuple[str, ...]:
    found = value if isinstance(value, list) else re.split(r"[,\s]+", value) if isinstance(value, str) else []
    return tuple(word.lower() for word in found if isinstance(word, str) and word)
