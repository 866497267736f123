"""Manifests that cannot be read, or that are odd: they name nothing, end nothing, and take no time."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest
from pace import within

from tdd_orchestrator.workspace.project import declared_dependencies, project_names


def test_what_is_no_file_names_nothing(tmp_path: Path) -> None:
    for name in ("go.mod", "requirements.txt", "package.json"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "requirements-dev.txt").symlink_to("nowhere")
    (tmp_path / "requirements-more.txt").mkdir()
    (tmp_path / "Gemfile").mkdir()
    (tmp_path / "src").symlink_to("src")
    assert "package" in project_names(tmp_path, "go")
    assert declared_dependencies(tmp_path) == frozenset()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not look")
def test_what_may_not_be_read_names_nothing() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="tdd-shut-") as base:
        root = Path(base)
        for name in ("go.mod", "requirements.txt", "package.json"):
            (root / name).write_text("module a\n")
            (root / name).chmod(0)
        for folder in ("lib", "sub"):
            (root / folder).mkdir()
            (root / folder).chmod(0)
        root.chmod(0o755)
        os.setresuid(65534, 65534, 0)
        try:
            assert "sub" in project_names(root, "go") & project_names(root, "java")
            assert declared_dependencies(root) == frozenset()
        finally:
            os.setresuid(0, 0, 0)


@pytest.mark.parametrize(
    "text", ["<build>" * 30_000, "<a>" * 30_000 + "</a>" * 30_000, '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>']
)
def test_an_odd_pom_names_nothing_in_no_time(tmp_path: Path, text: str) -> None:
    (tmp_path / "pom.xml").write_text(text)
    begun = time.process_time()
    assert project_names(tmp_path, "java") == {"pom"}
    assert time.process_time() - begun < within(10)


def test_a_group_of_the_parents_is_the_projects(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><dependencies><dependency><groupId>org.other</groupId>'
        "</dependency></dependencies><parent><artifactId>a</artifactId><groupId> com.acme </groupId></parent></project>"
    )
    assert "com.acme" in project_names(tmp_path, "java")
    assert "org.other" not in project_names(tmp_path, "java")


@pytest.mark.parametrize(("app", "module"), [("base64url", "Base64url"), ("my_app_2x", "MyApp2x")])
def test_elixir_names_a_module_as_mix_does(tmp_path: Path, app: str, module: str) -> None:
    (tmp_path / "mix.exs").write_text(f"[app: :{app}]")
    assert module in project_names(tmp_path, "elixir")
