"""What is shipped works from an installed wheel: prompts, skills, the reporter plug-in, the demo's recording, the schema."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    words = [
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
        str(ROOT),
    ]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def tdd(site: Path, cwd: Path, *words: str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.run(
        [python, "-P", "-m", "tdd_orchestrator", *words],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_of_the_checkout_is_used(installed: Path, tmp_path: Path) -> None:
    where = subprocess.run(
        [sys.executable, "-P", "-c", "import tdd_orchestrator; print(tdd_orchestrator.__file__)"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(installed)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert where.stdout.startswith(str(installed))


@pytest.mark.parametrize("role", ["red", "green", "refactor", "analyze", "test_list", "build-doctor"])
def test_roles_are_shipped(installed: Path, tmp_path: Path, role: str) -> None:
    done = tdd(installed, tmp_path, "prompts", "show", role)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout) > 200


def test_the_demo_needs_no_test_runner(installed: Path, tmp_path: Path) -> None:
    """As after ``pipx install``, where pytest is not in the environment of `tdd`."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    packages = next((tmp_path / "venv/lib").glob("python*/site-packages"))
    for one in Path(sysconfig.get_path("purelib")).iterdir():
        if not one.name.startswith(("pytest", "_pytest")) and one.suffix != ".pth":
            (packages / one.name).symlink_to(one)
    done = tdd(installed, tmp_path, "demo", python=str(tmp_path / "venv/bin/python"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Proven:" in done.stdout


def test_console_scripts_are_declared(installed: Path) -> None:
    entry = next(installed.glob("*.dist-info/entry_points.txt")).read_text()
    assert "tdd = tdd_orchestrator.cli.app:main" in entry
    assert "git-tdd = tdd_orchestrator.cli.app:main" in entry
