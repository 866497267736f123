"""By which names a project calls itself: what its manifests, and the packages of its sources, say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.workspace.project import names_in, project_names

CARGO = '[package]\nname = "acme-kata"\n'
COMPOSER = (
    '{"autoload": {"psr-4": {"Acme\\\\Kata\\\\": "src/"}}, "autoload-dev": {"psr-0": {"Acme_": "tests/"}}}'
)
POM = "<project><parent><groupId>org.spring</groupId></parent><groupId>com.acme</groupId><artifactId>kata</artifactId></project>"


@pytest.mark.parametrize(
    ("language", "files", "wanted"),
    [
        ("rust", {"Cargo.toml": CARGO}, {"acme_kata"}),
        ("rust", {"Cargo.toml": CARGO + '[lib]\nname = "other"\n'}, {"acme_kata", "other"}),
        ("rust", {"Cargo.toml": "[workspace]\n", "crates/core/Cargo.toml": CARGO}, {"acme_kata"}),
        ("go", {"go.mod": "// mine\nmodule github.com/acme/kata // x\n\ngo 1.19\n"}, {"github.com/acme/kata"}),
        ("go", {"go.mod": 'module "kata"\n'}, {"kata"}),
        ("javascript", {"package.json": '{"name": "@acme/kata"}'}, {"@acme/kata"}),
        ("typescript", {"tsconfig.json": '{"compilerOptions": { // mine\n"paths": {"@app/*": ["./src/*"], "~util": ["src/util.ts"]}}}'},
         {"@app/", "~util"}),
        ("typescript", {"web/tsconfig.base.json": '{"paths": {"$lib/*": ["src/lib/*"]}, "lib": ["es2020"]}'}, {"$lib/"}),
        ("javascript", {"jsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}'}, {"@/"}),
        ("typescript", {"packages/core/package.json": '{"name": "@acme/core"}'}, {"@acme/core"}),
        ("php", {"composer.json": COMPOSER}, {"Acme\\Kata\\", "Acme_"}),
        ("ruby", {"acme-kata.gemspec": 'Gem::Specification.new { |s| s.name = "acme-kata" }'}, {"acme-kata"}),
        ("java", {"pom.xml": POM}, {"com.acme"}),
        ("java", {"build.gradle": "group = 'com.acme'\n"}, {"com.acme"}),
        ("java", {"build.gradle.kts": 'group = "org.acme.kata"\n'}, {"org.acme.kata"}),
        ("java", {"src/main/java/com/acme/kata/Greet.java": ""}, {"com.acme"}),
        ("java", {"core/src/test/kotlin/io/github/ada/kata/GreetTest.kt": ""}, {"io.github.ada"}),
        ("java", {"src/main/java/kata/Greet.java": ""}, {"kata"}),
        ("c", {"include/kata/queue.h": ""}, {"kata"}),
        ("c++", {"include/queue.hpp": ""}, {"queue"}),
        ("elixir", {"mix.exs": "defmodule X do\n  [app: :acme_kata, version: 1]\nend\n"}, {"AcmeKata"}),
    ],
)  # fmt: skip
def test_the_projects_own_names(
    tmp_path: Path, language: str, files: dict[str, str], wanted: set[str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert wanted <= project_names(tmp_path, language)


@pytest.mark.parametrize(
    ("language", "name", "text"),
    [
        ("rust", "Cargo.toml", "package = 3\nlib = []\n"),
        ("rust", "Cargo.toml", '[package]\nname = ["a"]\n'),
        ("javascript", "package.json", '["a"]'),
        ("javascript", "package.json", '{"name": 3}'),
        ("php", "composer.json", '{"autoload": {"psr-4": ["a"]}}'),
        ("php", "composer.json", '{"autoload": {"psr-4": {"": "src/"}}}'),
        ("java", "pom.xml", "<project>"),
        ("go", "go.mod", "go 1.19\n"),
    ],
)
def test_a_manifest_of_another_shape_names_nothing(
    tmp_path: Path, language: str, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    assert project_names(tmp_path, language) == {name.rpartition(".")[0]}


def test_the_modules_of_a_python_commit_are_known_wherever_they_can_be_imported_from() -> None:
    paths = [
        "backend/app/__init__.py",
        "backend/app/redis/__init__.py",
        "backend/app/redis/keys.py",
        "backend/serve.py",
        "packages/core/src/kata/__init__.py",
        "packages/core/src/kata/deep/money.py",
        "packages/core/src/spaced/part.py",
        "python/rusty/__init__.py",
        "node_modules/gyp/__init__.py",
    ]
    names = names_in(paths, "python")
    assert {"app", "serve", "kata", "spaced", "rusty"} <= names
    assert not {"redis", "keys", "gyp"} & names
    assert "app" not in names_in(paths, "ruby")


def test_the_packages_of_a_commit() -> None:
    paths = ["src/main/java/com/acme/Greet.java", "src/test/java/org/acme/kata/GreetTest.java", "pom.xml"]
    assert {"com.acme", "org.acme"} <= names_in(paths, "java")
    assert "kata" in names_in(["include/kata/queue.h"], "c")
    assert "com" not in names_in(paths, "java")


def test_an_alias_of_somebody_elses_package_is_not_the_projects(tmp_path) -> None:
    paths = '{"paths": {"react": ["./node_modules/preact/compat"], "*": ["./types/*"]}, "lib": ["es2020"]}'
    (tmp_path / "tsconfig.json").write_text(paths, encoding="utf-8")
    assert not {"react", "", "lib", "*"} & project_names(tmp_path, "typescript")
