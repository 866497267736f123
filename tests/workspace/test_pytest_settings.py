"""pytest's own settings, in each file in which it reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.workspace.pytest_settings import pytest_settings


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\npython_files = check_*.py\n  *_checks.py\n"),
        (".pytest.ini", "[pytest]\npython_files = check_*.py *_checks.py\n"),
        ("setup.cfg", "[tool:pytest]\npython_files = check_*.py *_checks.py\n"),
        ("tox.ini", "[testenv]\npython_files = no.py\n[pytest]\npython_files=check_*.py *_checks.py\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\npython_files = ["check_*.py", "*_checks.py"]\n'),
        ("pyproject.toml", '[tool.pytest.ini_options]\npython_files = "check_*.py *_checks.py"\n'),
        ("pyproject.toml", '[tool.pytest]\npython_files = ["check_*.py", "*_checks.py"]\n'),
        ("pytest.toml", '[pytest]\npython_files = ["check_*.py", "*_checks.py"]\n'),
    ],
)
def test_a_setting_of_several_words_is_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert pytest_settings(tmp_path, "python_files") == ["check_*.py", "*_checks.py"]
    assert pytest_settings(tmp_path, "testpaths") == []


def test_the_first_file_that_holds_settings_of_pytest_counts(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("")
    (tmp_path / "setup.cfg").write_text("[tool:pytest]\npython_files = x_*.py\n")
    assert pytest_settings(tmp_path, "python_files") == []
    (tmp_path / "pytest.ini").unlink()
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert pytest_settings(tmp_path, "python_files") == ["x_*.py"]


@pytest.mark.parametrize(
    "text", ["[pytest\n", "[tool.pytest.ini_options\n", "\xff\n", "[pytest]\npython_files = %(x)s\n"]
)
def test_settings_that_cannot_be_read_name_nothing(tmp_path: Path, text: str) -> None:
    for name in ("pytest.ini", "pyproject.toml", "tox.ini"):
        (tmp_path / name).write_text(text, encoding="latin-1")
        assert pytest_settings(tmp_path, "testpaths") == []
