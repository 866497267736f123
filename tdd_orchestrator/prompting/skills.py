"""Skills: folders with a SKILL.md. They change what a role knows, never what it may do.

Ours are shipped; a repository adds its own in ``.tdd/skills`` (for every role, unless its front matter has
``roles`` or ``when``); skills of the user's other agents (``.claude/skills`` here and at home) are read where
they are, and used when a role names them or they name a role of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tdd_orchestrator.prompting.templates import Role, shipped
from tdd_orchestrator.text import middle_cut, plain

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
            skill = _read(path, origin)
            if isinstance(skill, str):
                troubles.append(skill)
            else:
                found.setdefault(skill.name, skill)
    return tuple(found.values()), tuple(troubles)


def choose(skills: Sequence[Skill], role: Role, kinds: Iterable[str] = ()) -> tuple[Skill, ...]:
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


def _read(path: Path, origin: str) -> Skill | str:
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
