"""Decide whose a missing name is: the condition of a row of RED's reasons."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tdd_orchestrator.model.report import Reason
from tdd_orchestrator.runners.reason_frames import Origin
from tdd_orchestrator.runners.reason_names import FOREIGN, OWN_TYPE_EXCLUDED, STANDARD
from tdd_orchestrator.runners.reason_row import ReasonRow

_SEPARATORS = "./:\\"


@dataclass(frozen=True, slots=True)
class Context:
    """The facts for judging a name: about the project, and the failure's text."""

    language: str
    project: frozenset[str]
    declared: frozenset[str]
    text: str  # the whole message
    raised: Origin
    open: bool = True  # a missing top-level module may be the project's

    def owns(self, name: str) -> bool:
        """Whether the name is the project's, or begins with one of its names and a separator."""
        return root_of(name) in self.project or any(_within(name, own) for own in self.project)

    @property
    def namespaced(self) -> bool:
        """Whether the project's namespaces are known."""
        return any(own.endswith("\\") for own in self.project)

    def belongs_elsewhere(self, name: str) -> bool:
        """Whether a dependency or the language's own library has the name."""
        root = root_of(name)
        known = STANDARD.get(self.language, frozenset()) | FOREIGN.get(self.language, frozenset())
        return (
            root in self.declared
            or folded(root) in {folded(one) for one in self.declared}
            or root in known
            or any(_within(_spelled(name, one), one) for one in known)
        )


def root_of(name: str) -> str:
    return re.split(r"[./:\\]+", name.lstrip("&*./:\\"))[0]


def _within(name: str, own: str) -> bool:
    rest = name.removeprefix(own)
    return rest != name and (not rest or own[-1:] in _SEPARATORS or rest[0] in _SEPARATORS)


def _spelled(name: str, like: str) -> str:
    """Return a path spelled as a module name."""
    return name.replace("/", "::") if "::" in like else name


def folded(name: str) -> str:
    return name.lower().replace("-", "_")


def _plain(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    return row.reason


def _module(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a module, package, crate or namespace: the project's, unless another owner is known."""
    name = next((group for group in found.groups() if group), "")
    if context.owns(name):
        return row.reason
    return Reason.THIRD_PARTY if context.belongs_elsewhere(name) else row.reason


def _import(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge an import: the project's package, or a new top-level module if the project has such."""
    name = next((group for group in found.groups() if group), "")
    if context.owns(name):
        return row.reason
    return (
        _module(row, found, context)
        if context.open and not _raised_elsewhere(context)
        else Reason.THIRD_PARTY
    )


def _raised_elsewhere(context: Context) -> bool:
    """Whether the failing import stands in unchanged project code."""
    return context.raised is Origin.PROJECT


def _strict_module(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge an existing module or a bare package name: the project's only if known to be."""
    name = next((group for group in found.groups() if group), "")
    return row.reason if context.owns(name) else Reason.THIRD_PARTY


def _namespaced(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a class: with known namespaces, it is the project's only in one of them."""
    name = next((group for group in found.groups() if group), "").lstrip("\\")
    if "\\" in name and context.namespaced and not context.owns(name):
        return Reason.THIRD_PARTY
    return _module(row, found, context)


def _header(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a header: in angle brackets with a folder, it is the project's only if the folder is."""
    name = next((group for group in found.groups() if group), "")
    if context.raised is Origin.FOREIGN:
        return Reason.THIRD_PARTY
    angled = re.search(rf"#\s*include\s*<{re.escape(name)}>", context.text)
    return _strict_module(row, found, context) if angled and "/" in name else _module(row, found, context)


def _script(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a sourced file or a command: not the project's if outside the tree, or a library's."""
    name = next((group for group in found.groups() if group), "")
    library = re.search(r"(?:^|/)(?:bats-\w+|node_modules|shunit2|bash_unit)(?:/|$)", name)
    if "/" not in name:
        return _module(row, found, context)
    return Reason.THIRD_PARTY if library or name.startswith("/") else row.reason


def _within_namespace(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a missing member of a namespace: the project's, unless the namespace is a library's."""
    name = found[2]
    return row.reason if context.owns(name) or not context.belongs_elsewhere(name) else Reason.THIRD_PARTY


def _path(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a module's path: relative ones and aliases are the project's, bare names are packages."""
    name = next((group for group in found.groups() if group), "")
    if "node_modules" in name:
        return Reason.THIRD_PARTY
    relative = name.startswith(
        (".", "/", "file:", "~/", "@/", "#", "src/", "lib/", "test/", "tests/", "spec/")
    )
    return row.reason if relative or context.owns(name) else Reason.THIRD_PARTY


def _type(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a missing member of a type: the project's, unless a built-in type; raised in the test."""
    excluded = OWN_TYPE_EXCLUDED.get(context.language, frozenset())
    types = [
        re.split(r"[<\[{( ]", group.lstrip("&*").removeprefix("mut "))[0] for group in found.groups() if group
    ]
    own = [one for one in types if one not in excluded and not context.belongs_elsewhere(one)]
    if not own or context.raised is Origin.PROJECT:
        return Reason.EXCEPTION
    return row.reason


def _call(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a call that does not match what the project defines yet, made by the test itself."""
    name = next((group for group in found.groups() if group), "")
    if name in OWN_TYPE_EXCLUDED.get(context.language, frozenset()) or context.belongs_elsewhere(name):
        return Reason.EXCEPTION
    return (
        Reason.EXCEPTION
        if context.raised is Origin.PROJECT and context.language in ("javascript", "lua")
        else row.reason
    )


def _stub(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge an unimplemented body: accepted in the project, not in the test."""
    return Reason.EXCEPTION if context.raised is Origin.TEST and context.language == "python" else row.reason


def _asserted(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge an assertion: the test's or its library's; in project code it is an exception."""
    return Reason.EXCEPTION if context.raised is Origin.PROJECT else row.reason


OWNERS: dict[str, Callable[[ReasonRow, re.Match[str], Context], Reason]] = {
    "": _plain, "module": _module, "import": _import, "strict": _strict_module, "path": _path,
    "namespaced": _namespaced, "header": _header, "script": _script,
    "within": _within_namespace, "type": _type, "call": _call,
    "stub": _stub, "asserted": _asserted,
}  # fmt: skip
