"""The paths that no phase may touch: two tables for the guard, and modules that shadow others (T5, T6, T10, T15)."""

from __future__ import annotations

import sys

_HOOKS = "git runs it, or hears from it what to run, when you commit"
_AGENTS = "it decides what your own agents run and are told"
_EDITOR = "your editor runs it"
_ENTERED = "it changes the environment of everyone who enters the folder"

NEVER = (
    (".github/**", "continuous integration decides what is tested"),
    (".gitlab-ci.yml", "continuous integration decides what is tested"),
    (".gitlab/**", "continuous integration decides what is tested"),
    (".circleci/**", "continuous integration decides what is tested"),
    (".ci/**", "continuous integration decides what is tested"),
    (".travis.yml", "continuous integration decides what is tested"),
    ("azure-pipelines.yml", "continuous integration decides what is tested"),
    ("Jenkinsfile", "continuous integration decides what is tested"),
    (".pre-commit-config.y*ml", _HOOKS),
    (".pre-commit-hooks.yaml", _HOOKS),
    ("prek.toml", _HOOKS),
    ("**/.husky/**", _HOOKS),
    (".githooks/**", _HOOKS),
    (".git-hooks/**", _HOOKS),
    (".overcommit.yml", _HOOKS),
    ("{,.}lefthook{,-local}.{yml,yaml,toml,json}", _HOOKS),
    (".lefthook{,-local}/**", _HOOKS),
    (".config/lefthook*", _HOOKS),
    ("{,.}simple-git-hooks.{js,cjs,mjs,json}", _HOOKS),
    (".lintstagedrc*", _HOOKS),
    ("lint-staged.config.*", _HOOKS),
    (
        "**/.{agents,aider,amazonq,claude,clinerules,codex,continue,cursor,gemini,kiro,opencode,pi,qwen,roo,windsurf}/**",
        _AGENTS,
    ),
    (".{clinerules,cursorrules,roorules,windsurfrules}*", _AGENTS),
    (".roomodes", _AGENTS),
    (".aider.*", _AGENTS),
    (".mcp.json", _AGENTS),
    ("opencode.json*", _AGENTS),
    ("**/.vscode/{settings,launch,tasks,mcp}.json", _EDITOR),
    ("*.code-workspace", _EDITOR),
    ("**/.{idea,run,fleet,zed}/**", _EDITOR),
    (".{exrc,nvimrc,nvim.lua,dir-locals.el}", _EDITOR),
    ("**/.devcontainer/**", _EDITOR),
    (".devcontainer.json", _EDITOR),
    ("tdd.toml", "the referee's own configuration"),
    (".tdd.toml", "the referee's own configuration"),
    (".worktreeinclude", "it decides which of your ignored files the agents see"),
    (".tdd/**", "the referee's own prompts and skills"),
    ("**/sitecustomize.py", "Python runs it at every start"),
    ("**/usercustomize.py", "Python runs it at every start"),
    ("**/*.pth", "Python runs it at every start"),
    ("**/*.dist-info/**", "it tells Python what is installed, plug-ins of the test runner too"),
    ("**/pyvenv.cfg", "it decides which packages Python sees"),
    ("**/.env", "it may hold secrets"),
    ("**/.env.*", "it may hold secrets"),
    ("**/.envrc", _ENTERED),
    ("{,.}mise{,.*}.toml", _ENTERED),
    ("**/{.mise/**,mise/config*.toml}", _ENTERED),
    ("**/.tool-versions", _ENTERED),
    ("**/.npmrc", "it changes what npm runs"),
    ("**/.yarnrc*", "it changes what yarn runs"),
    ("**/.pnpmfile.*", "it changes what pnpm runs"),
    ("**/.pnp.*", "it decides which modules node sees"),
    ("**/bunfig.toml", "it changes what bun runs"),
    ("**/.bundle/**", "it changes what bundler runs"),
    ("**/php.ini", "it changes what PHP runs"),
    ("**/.user.ini", "it changes what PHP runs"),
    (".cargo/**", "it changes what cargo runs"),
    (".mvn/**", "it changes what Maven runs"),
    ("**/.gitattributes", "it changes how git reads files"),
    ("**/.gitmodules", "it brings in other repositories"),
    ("**/*.pem", "it may hold a key"),
    ("**/id_rsa*", "it may hold a key"),
    ("**/id_ed25519*", "it may hold a key"),
)
"""Paths that no phase may touch, with the reason a reader is given. Without a slash: a name in any folder."""

AGENT_DOCUMENTS = ("AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md")
"""Files that agents read at every start. They are also project documents, so a change is a warning only."""

CHECK_SETTINGS = (
    "{,.}ruff.toml",
    "{,.}mypy.ini",
    ".flake8",
    "{,.}pylintrc*",
    "pyrightconfig.json",
    ".eslintrc*",
    ".eslintignore",
    "eslint.config.*",
    "biome.json*",
    "tsconfig*.json",
    ".golangci.*",
    "{,.}clippy.toml",
    ".rubocop*.yml",
    "phpstan*.neon*",
    ".shellcheckrc",
    ".clang-tidy",
    "checkstyle*.xml",
    ".swiftlint.yml",
    "detekt*.yml",
    ".credo.exs",
)
CHECK_TABLES = ("tool.ruff", "tool.mypy", "tool.pyright", "tool.basedpyright", "tool.pylint", "tool.flake8")
"""Settings of checks that a test command may run beside the tests, as files and in pyproject.toml."""

WRAPPERS = (
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    "noxfile.py",
    "dodo.py",
    "Taskfile.yml",
    "Rakefile",
    "rakefile",
    "Rakefile.rb",
    "rakefile.rb",
    ".justfile",
    "Taskfile.yaml",
    "Taskfile.dist.yml",
    "taskfile.yml",
)
"""Files through which tests are started; GREEN and REFACTOR may not touch them, nor may RED."""

REGISTERS = ("CMakeLists.txt", "meson.build", "*.cabal", "package.yaml", "dune")
"""Build files that list the tests: RED may change what they say of tests, and GREEN the rest."""

HOOK_NAMES = (
    "{pre,post}-{commit,merge,checkout,rewrite,applypatch,push,rebase,auto-gc,index-change}",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "applypatch-msg",
    "fsmonitor-watchman",
    "reference-transaction",
    "sendemail-validate",
)
"""The names of git's hooks."""


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
