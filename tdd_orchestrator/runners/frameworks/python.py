"""pytest, unittest, doctest, nose2, Django, trial, behave, Robot Framework."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.runners.framework import Ask, Framework, Measure, Sample, Select, Signs

_PYTHON = r"(?:^|[\s/])(?:python(?:\d(?:\.\d+)?)?|py)\s+(?:-[WX]\s+\S+\s+|-[^mWX\s]\S*\s+)*-m\s+"
_SUPPORT = (
    "**/conftest.py", "**/{tests,test}/**", "**/testdata/**",
    "{fixtures,factories,fakes}/**", "**/{spec,specs,e2e,integration}/**/{fixtures,factories,fakes}/**",
)  # fmt: skip
_FILES = ("**/test_*.py", "**/*_test.py", "**/{tests,test}/**/*.py", "**/tests.py", "**/test.py")
_CONFIG = ("**/conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml",
    "**/sitecustomize.py",
           "**/usercustomize.py", "**/*.pth", ".coveragerc")  # fmt: skip
_KEYS = (
    ("pyproject.toml", ("tool.pytest", "tool.coverage", "tool.tox", "tool.nox", "tool.hatch.envs", "tool.poe",
                        "project.entry-points.pytest11", "tool.poetry.plugins", "tool.unittest",
                        "tool.behave",
                        "tool.setuptools.package-dir")),
    ("setup.cfg", ("tool:pytest", "pytest", "coverage:*", "unittest", "nosetests", "aliases", "tox:tox",
                   "options.entry_points", "behave", "django")),
    ("tox.ini", ("pytest", "coverage:*")),
)  # fmt: skip
_CASE = "import unittest\n\n\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        self.assertTrue(1)\n"
_ITS_TESTS = r"(?m)^\s*(?:import pytest|from pytest\b)|^(?:async )?def test_|^class Test\w*(?:\(\))?:"
"""What pytest alone collects: unittest has methods of its TestCase."""

_PYTHON_ROW = Framework(
    name="",
    language="python",
    signs=Signs(),
    command=(),
    test_files=_FILES,
    support_files=_SUPPORT,
    config_files=_CONFIG,
    config_keys=_KEYS,
)
"""What the rows below have in common; each names what is its own."""


PYTEST = replace(
    _PYTHON_ROW,
    name="pytest",
    signs=Signs(
        files=("**/conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", "**/test_*.py", "**/*_test.py"),
        manifests=(
            ("pyproject.toml", r"\[tool\.pytest|[\"']pytest\b"),
            ("setup.cfg", r"\[tool:pytest\]|\bpytest\b"),
            ("tox.ini", r"\[pytest\]|\bpytest\b"),
            ("{requirements*.txt,dev-requirements.txt,Pipfile,environment.yml}", r"(?m)^\W*pytest\b"),
            ("requirements*.txt", r"(?m)^pytest\b"),
            ("{test,tests}/**/*.py", _ITS_TESTS),
            ("test_*.py", _ITS_TESTS),
        ),
        words=(_PYTHON + r"(?:pytest|py\.test)\b", r"(?:^|[\s/])(?:pytest|py\.test)(?:\s|$)"),
    ),
    command=("python", "-m", "pytest", "-q"),
    ask=Ask("events", file="events.jsonl"),
    select=Select(files=True, env=(("PYTEST_ADDOPTS", '{before} -o "python_files={files}"'),)),
    measure=Measure(
        "pytest",
        env=(
            ("PYTEST_ADDOPTS", "-p tdd_coverage --continue-on-collection-errors"),
            ("TDD_COVERAGE", "{folder}"),
        ),
    ),
    parallel=("-n", "auto"),
    parallel_module="xdist",
    parallel_if=(
        ("pyproject.toml", r"[\"']pytest-xdist\b"),
        ("requirements-dev.txt", r"(?m)^pytest-xdist\b"),
        ("requirements.txt", r"(?m)^pytest-xdist\b"),
        ("setup.cfg", r"\bpytest-xdist\b"),
    ),
    runner_modules=("pytest", "_pytest", "pluggy", "py", "iniconfig", "sitecustomize", "usercustomize"),
    samples=(
        Sample(
            (("pyproject.toml", "[tool.pytest.ini_options]\n"), ("tests/test_a.py", "def test_a(): pass\n"))
        ),
        Sample((("test_a.py", "def test_a():\n    assert 1\n"),)),
        Sample((("tests/test_a.py", "class TestA:\n    def test_a(self):\n        assert 1\n"),)),
        Sample((("tests/test_a.py", _CASE), ("pyproject.toml", "[tool.pytest.ini_options]\n"))),
        Sample((("tests/a_test.py", "import pytest\n"), ("setup.cfg", "[metadata]\nname = a\n"))),
        Sample((("tests/test_u.py", "import unittest\n"),), "python3 -m pytest -x"),
        Sample((("Makefile", "test:\n\tpython -m pytest -q\n"),), "make test"),
        Sample((("tox.ini", "[testenv]\ncommands = pytest {posargs}\n"),), "tox -e py311"),
        Sample((("noxfile.py", "def tests(session):\n    session.run('pytest', '-q')\n"),), "nox -s tests"),
        Sample((("justfile", "test:\n    uv run pytest\n"),), "just test"),
        Sample((), "uv run pytest tests"),
        Sample((), "poetry run python -m pytest"),
        Sample(
            (("docker-compose.yml", "services:\n  t:\n    command: pytest -q\n"),), "docker compose run t"
        ),
    ),
    is_test=("test_a.py", "tests/unit/a_test.py", "tests/helpers.py", "src/pkg/tests/test_x.py"),
    not_test=("src/testing.py", "contest.py", "latest.py", "src/pkg/core.py"),
    weight=2,
)

UNITTEST = replace(
    _PYTHON_ROW,
    name="unittest",
    signs=Signs(
        manifests=(
            ("{test,tests}/**/*.py", r"(?m)^\s*(?:import unittest|from unittest import)"),
            ("test*.py", r"(?m)^\s*(?:import unittest|from unittest import)"),
        ),
        words=(_PYTHON + r"(?:unittest|xmlrunner)\b", r"\bsetup\.py test\b"),
    ),
    command=("python", "-m", "unittest", "discover", "-v"),
    ask=Ask("text", argv=("-v",), unless=("-v", "--verbose")),
    runner_modules=("unittest", "sitecustomize", "usercustomize"),
    stops=("-f", "--failfast"),
    samples=(
        Sample((("tests/test_a.py", "import unittest\n\nclass A(unittest.TestCase):\n    pass\n"),)),
        Sample((("tests/test_a.py", _CASE), ("tests/__init__.py", ""))),
        Sample((("test_a.py", _CASE),)),
        Sample((), "python -m unittest discover -s tests"),
        Sample((), "python3.12 -W error -m unittest"),
    ),
    is_test=("test_a.py", "tests/test_b.py", "pkg/test.py"),
    not_test=("src/a.py",),
    weight=3,
)

DOCTEST = replace(
    _PYTHON_ROW,
    name="python-doctest",
    signs=Signs(words=(_PYTHON + r"doctest\b",)),
    command=("python", "-m", "doctest", "-v"),
    ask=Ask("text", argv=("-v",), unless=("-v", "--verbose")),
    read="doctest",
    runner_modules=("doctest", "unittest", "sitecustomize", "usercustomize"),
    samples=(
        Sample((("calc.py", ""),), "python -m doctest calc.py"),
        Sample((), "python3 -W error -m doctest README.md"),
    ),
    is_test=("tests/test_a.py",),
    not_test=("calc.py",),
)

NOSE2 = replace(
    _PYTHON_ROW,
    name="nose2",
    signs=Signs(
        files=("nose2.cfg", "unittest.cfg"),
        manifests=(("{requirements*.txt,pyproject.toml,setup.cfg,tox.ini}", r"\bnose2\b"),
                   ("pyproject.toml", r"\bnose2\b")),
        words=(_PYTHON + r"nose2\b", r"(?:^|[\s/])nose2(?:\s|$)"),
    ),
    command=("python", "-m", "nose2", "-v"),
    config_files=("nose2.cfg", "unittest.cfg", *_CONFIG),
    ask=Ask("text", argv=("-v",), unless=("-v", "--verbose")),
    runner_modules=("nose2", "unittest", "sitecustomize", "usercustomize"),
    stops=("-F", "--fail-fast"),
    samples=(Sample((("nose2.cfg", "[unittest]\n"),)), Sample((), "nose2 -s tests")),
    is_test=("tests/test_a.py",),
    not_test=("a.py",),
    weight=4,
)  # fmt: skip

DJANGO = replace(
    _PYTHON_ROW,
    name="django",
    signs=Signs(
        files=("manage.py",),
        manifests=(("manage.py", r"execute_from_command_line"),),
        words=(
            r"manage\.py\s+test\b", r"django-admin\s+test\b", r"runtests\.py", _PYTHON + r"django\s+test\b"
        ),
    ),
    command=("python", "manage.py", "test", "-v", "2"),
    config_files=("manage.py", "**/settings/test*.py", "**/test_settings.py", *_CONFIG),
    ask=Ask("text", argv=("-v", "2", "--no-color"), unless=("-v", "--verbosity")),
    runner_modules=("django", "unittest", "sitecustomize", "usercustomize"),
    samples=(
        Sample((("manage.py", "from django.core.management import execute_from_command_line\n"),
                ("shop/tests.py", "from django.test import TestCase\n"))),
        Sample((), "python manage.py test shop"),
    ),
    is_test=("shop/tests.py", "shop/tests/test_models.py"),
    not_test=("shop/models.py",),
    weight=5,
)  # fmt: skip

TRIAL = replace(
    _PYTHON_ROW,
    name="trial",
    signs=Signs(words=(r"(?:^|[\s/])trial(?:\s|$)", _PYTHON + r"twisted\.trial\b")),
    command=("python", "-m", "twisted.trial"),
    runner_modules=("twisted", "unittest"),
    samples=(Sample((), "trial mypkg"),),
    is_test=("mypkg/test/test_a.py",),
    not_test=("mypkg/a.py",),
)

BEHAVE = replace(
    _PYTHON_ROW,
    name="behave",
    signs=Signs(
        files=("behave.ini", ".behaverc", "features/steps/*.py", "features/environment.py"),
        manifests=(("{requirements*.txt,pyproject.toml}", r"\bbehave\b"), ("pyproject.toml", r"\bbehave\b")),
        words=(r"(?:^|[\s/])behave(?:\s|$)", _PYTHON + r"behave\b"),
    ),
    command=("behave",),
    test_files=("**/*.feature", "**/features/**/*.py"),
    support_files=("**/features/environment.py",),
    config_files=("behave.ini", ".behaverc", "**/features/environment.py"),
    ask=Ask("junit", argv=("--junit", "--junit-directory", "{report}", "--show-timings"), file="reports/",
            unless=("--junit",)),
    select=Select(files=True, flag=("-n", "{names}")),
    runner_modules=("behave",),
    samples=(
        Sample((("features/a.feature", "Feature: a\n"),
                ("features/steps/a.py", "from behave import given\n"))),
        Sample((), "behave --no-color"),
    ),
    is_test=("features/a.feature", "features/steps/a.py"),
    not_test=("src/a.py",),
    weight=6,
)  # fmt: skip

ROBOT = replace(
    _PYTHON_ROW,
    name="robot",
    signs=Signs(files=("**/*.robot",), words=(r"(?:^|[\s/])(?:robot|pabot)(?:\s|$)", _PYTHON + r"robot\b")),
    command=("robot", "tests"),
    test_files=("**/*.robot", "**/*.resource"),
    support_files=("**/resources/**",),
    config_files=("robot.toml",),
    ask=Ask(
        "junit", argv=("--xunit", "{report}", "--outputdir", "{folder}"), after="robot", unless=("--xunit",)
    ),
    select=Select(flag=("--test", "{names}"), each=True, regex=False),
    runner_modules=("robot",),
    samples=(Sample((("tests/a.robot", "*** Test Cases ***\n"),)), Sample((), "robot -d out tests")),
    is_test=("tests/a.robot",),
    not_test=("a.py",),
    weight=6,
)

ROWS = (PYTEST, UNITTEST, DOCTEST, NOSE2, DJANGO, TRIAL, BEHAVE, ROBOT)
