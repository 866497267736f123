"""The four rules of the house, kept by reading every import."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "tdd_orchestrator"

FLOORS: list[tuple[str, ...]] = [
    ("text",),
    ("model",),
    ("testlog", "languages", "config", "process", "redaction", "events"),
    ("repo", "prompting", "diagnosis"),
    ("runners", "agents", "notes"),
    ("workspace",),
    ("cycle",),
    ("audit", "failures", "history"),
    ("prove",),
    ("fleet",),
    ("app",),
    ("web", "mcp", "demo"),
    ("cli", "__main__"),
]


def _modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.parent.name != "reporters")


def _room(name: str) -> str:
    return name.removeprefix("tdd_orchestrator.").split(".")[0]


def _imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return found


def _floor(room: str) -> int:
    return next((number for number, rooms in enumerate(FLOORS) if room in rooms), -1)


@pytest.mark.parametrize("path", _modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_run_down(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room == "__init__":
        return
    assert _floor(room) >= 0, f"{room} stands on no floor"
    for name in _imports(path):
        if name.startswith("tdd_orchestrator.") and _room(name) != room:
            assert _floor(_room(name)) <= _floor(room), (
                f"{path.name} imports {name}, which is on a higher floor"
            )


def test_no_two_modules_need_each_other() -> None:
    """Not by what they run, not by the types that they name, and not by an import within a function either."""
    files = {_dotted(path): path for path in _modules()}
    needs = {name: _imported(path, files) - {name} for name, path in files.items()}
    assert set(TopologicalSorter(needs).static_order()) == set(files), "an order, or CycleError"


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def _imported(path: Path, files: dict[str, Path]) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(name if name in files else node.module for name in names)
    return found & files.keys()


def test_only_git_py_imports_gitpython() -> None:
    users = [
        path
        for path in _modules()
        if any(name == "git" or name.startswith("git.") for name in _imports(path))
    ]
    assert [path.relative_to(PACKAGE).as_posix() for path in users] == ["repo/git.py"]


def test_only_process_py_starts_programs() -> None:
    starts = (
        "subprocess.",
        "os.system",
        "os.popen",
        "os.exec",
        "os.spawn",
        "os.posix_spawn",
        "os.fork",
        "pty.",
    )
    for path in _modules():
        inside = path.relative_to(PACKAGE).as_posix()
        if inside == "process/__init__.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert not called.startswith(starts), f"{inside}:{node.lineno} calls {called}"


def test_only_the_cli_prints_or_exits() -> None:
    for path in _modules():
        inside = path.relative_to(PACKAGE).as_posix()
        if inside.startswith("cli/"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("print", "sys.exit", "exit", "click.echo"), (
                    f"{inside}:{node.lineno} calls {called}"
                )


def test_judges_are_pure() -> None:
    forbidden = {"time", "os", "subprocess", "pathlib", "random", "datetime"}
    gates = sorted(path.relative_to(PACKAGE).as_posix() for path in (PACKAGE / "cycle/gates").glob("*.py"))
    assert len(gates) > 1
    for name in (
        *gates,
        "cycle/recovery.py",
        "cycle/routes.py",
        "cycle/state.py",
        "cycle/fix/fix_state.py",
        "workspace/guard.py",
        "workspace/manifests.py",
        "model/report.py",
    ):
        used = {module.split(".")[0] for module in _imports(PACKAGE / name)}
        assert not used & forbidden, f"{name} uses {used & forbidden}"


def test_no_two_test_files_have_one_name() -> None:
    """As pytest names their modules: by the folders above that are packages, so by the file alone where there is none."""
    files: dict[str, list[Path]] = {}
    for path in (PACKAGE.parent / "tests").rglob("*.py"):
        top = next(folder for folder in path.parents if not (folder / "__init__.py").exists())
        files.setdefault(path.relative_to(top).as_posix(), []).append(path)
    twice = {name: paths for name, paths in files.items() if len(paths) > 1 and name != "conftest.py"}
    assert not twice
