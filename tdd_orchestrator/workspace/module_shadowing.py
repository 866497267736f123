"""Find new files that shadow modules of the runner, the standard library or a package (T6). Pure."""

from __future__ import annotations

import sys


def shadows(
    path: str, runner_modules: tuple[str, ...], packages: frozenset[str], known: frozenset[str]
) -> str:
    """Return why a new top-level module shadows another one; '' if it does not (T6)."""
    parts = path.split("/")
    if path.endswith(tuple(_SEARCHED)):
        return _before_the_runner(path, runner_modules)
    if not path.endswith((".py", ".so", ".pyd", "/__init__.py")):
        return ""
    roots = {"", "src", "lib", "test", "tests"}
    name = (
        parts[0].removesuffix(".py")
        if parts[0] not in roots
        else (parts[1].removesuffix(".py") if len(parts) > 1 else "")
    )
    if len(parts) == 1:
        name = parts[0].split(".")[0]
    inside = f"{path.partition(f'/{name}/')[0]}/{name}/" if f"/{name}/" in path else f"{name}/"
    if name in runner_modules and not any(other.startswith(inside) for other in known):
        return f"a module of this name stands in front of the test runner's own '{name}'"
    if any(_top(other) == _top(path) for other in known):
        return ""
    if name in sys.stdlib_module_names:
        return f"a module of this name stands in front of the standard library's '{name}'"
    return f"a module of this name stands in front of the package '{name}'" if name in packages else ""


_SEARCHED = {
    ".rb": ("lib/", "test/", "spec/", ""),
    ".pm": ("lib/", "t/lib/", "t/", ""),
    ".lua": ("src/", "lib/", "spec/", ""),
}
"""Languages that find modules by path: folders of the tree searched before installed modules."""


def _before_the_runner(path: str, runner_modules: tuple[str, ...]) -> str:
    """Return why the module precedes the runner's own; modules beside it are honest extensions."""
    stem, dot, suffix = path.rpartition(".")
    inside = {stem.removeprefix(folder) for folder in _SEARCHED[dot + suffix] if stem.startswith(folder)}
    for name in runner_modules:
        own = name.replace("::", "/").replace(".", "/")
        if any(one == own or ("/" in own and one.startswith(f"{own}/")) for one in inside):
            return f"a module of this name stands in front of the test runner's own '{name}'"
    return ""


def _top(path: str) -> str:
    parts = path.split("/")
    head = parts[1] if parts[0] in ("src", "lib") and len(parts) > 1 else parts[0]
    return head.removesuffix(".py")
