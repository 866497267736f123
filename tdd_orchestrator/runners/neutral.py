"""Build the environment of a test run: an allow-list without secrets and runner settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tdd_orchestrator.redaction import is_secret_name

_NAMES = """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TEMP TMP SYSTEMROOT COMSPEC PATHEXT
    XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR DISPLAY WAYLAND_DISPLAY DOCKER_HOST
    LD_LIBRARY_PATH DYLD_LIBRARY_PATH PKG_CONFIG_PATH CC CXX SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE
    VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE PYENV_ROOT PYENV_VERSION UV_CACHE_DIR UV_PYTHON
    POETRY_HOME POETRY_CACHE_DIR POETRY_VIRTUALENVS_PATH PIPENV_VENV_IN_PROJECT WORKON_HOME
    JAVA_HOME JDK_HOME M2_HOME MAVEN_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT KOTLIN_HOME
    GOPATH GOROOT GOCACHE GOMODCACHE GOTOOLCHAIN GOPRIVATE CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN
    NVM_DIR NVM_BIN FNM_DIR VOLTA_HOME PNPM_HOME COREPACK_HOME BUN_INSTALL DENO_DIR PLAYWRIGHT_BROWSERS_PATH
    CYPRESS_CACHE_FOLDER PUPPETEER_CACHE_DIR CHROME_BIN
    GEM_HOME GEM_PATH RBENV_ROOT RBENV_VERSION BUNDLE_PATH ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR
    COMPOSER_HOME DOTNET_ROOT NUGET_PACKAGES MIX_HOME HEX_HOME PERL5LIB PERL_LOCAL_LIB_ROOT OPAMROOT
    OPAM_SWITCH_PREFIX CAML_LD_LIBRARY_PATH STACK_ROOT GHCUP_INSTALL_BASE_PREFIX NIX_PATH NIX_SSL_CERT_FILE
    LUA_PATH LUA_CPATH TCLLIBPATH TDD_PORT
"""
ALLOWED = frozenset(_NAMES.split())
_FIXED = {
    "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONNOUSERSITE": "1", "PYTHONUNBUFFERED": "1",
    "GIT_TERMINAL_PROMPT": "0", "DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1",
}  # fmt: skip
_VENVS = (".venv", "venv", "env")


def neutral_env(tree: Path, base: Mapping[str, str], python_path: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the environment of a test run in ``tree``, derived from ``base``.

    ``python_path``: folders relative to the tree that must be importable before anything installed,
    where an installed or editable copy of the project would be found otherwise.
    """
    env = {
        name: value
        for name, value in base.items()
        if (name in ALLOWED or name.startswith("LC_")) and not is_secret_name(name)
    }
    env.setdefault("LANG", "C.UTF-8")
    env.update(_FIXED | left_alone(tree))
    env["PATH"] = os.pathsep.join(_path(tree, env))
    if python_path:
        env["PYTHONPATH"] = os.pathsep.join(str(tree / folder) for folder in python_path)
    return env


def left_alone(tree: Path) -> dict[str, str]:
    """Return the variables that keep package managers from changing what is linked into ``tree``.

    `uv run` would install the tree's project into the linked environment, which is the user's: from then on
    their own programs import it from there.
    """
    return {"UV_NO_SYNC": "1"} if (tree / ".venv").is_symlink() else {}


def _path(tree: Path, env: dict[str, str]) -> list[str]:
    """Return PATH: the tree's virtual environment, the given entries, the tree's node programs.

    Relative entries are dropped: they would depend on the working directory.
    """
    before = []
    for name in _VENVS:
        folder = tree / name
        if (folder / "bin" / "python").exists():
            before.append(str(folder / "bin"))
            env["VIRTUAL_ENV"] = str(folder)
            break
    given = [entry for entry in env.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(entry)]
    after = [str(tree / "node_modules" / ".bin")] if (tree / "node_modules" / ".bin").is_dir() else []
    return [*before, *given, *after]
