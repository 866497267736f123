"""The data of one test framework. To add one, add a row with its samples in ``frameworks/``."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Signs:
    """Signs of the framework in a repository or a command.

    ``files``: patterns of paths; ``manifests``: (pattern of paths, regular expression on the text);
    ``words``: regular expressions on a whole command line. A word outweighs a manifest, a manifest
    outweighs a file.
    """

    files: tuple[str, ...] = ()
    manifests: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """How to request a structured report at a private place without the user's configuration.

    ``{report}``, ``{folder}`` and ``{nonce}`` are filled in. ``argv`` needs a command that names the
    runner itself (or an npm script that ends with it); ``env`` passes through any wrapper that keeps
    its environment, and ``{before}`` in it is what the variable holds.
    """

    format: str  # events | junit | json | trx | tap | text: what is found at ``file``
    argv: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    file: str = "report.xml"  # in the private folder; with a trailing slash: a folder of reports
    after: str = ""  # argv goes right after this word of the command; "" = at the end
    unless: tuple[str, ...] = ()  # the user's own options for the same: then argv is left out
    collect: tuple[str, ...] = ()  # patterns of reports in the tree, for runners that write nowhere else
    partial: bool = False  # it may cover only some of the tests, or none
    env_alone: bool = False  # set the variables only where ``argv`` does not reach the runner


@dataclass(frozen=True, slots=True)
class Measure:
    """How to learn which lines a run executes, by the runner's own tool; ``{folder}`` takes its reports.

    ``format`` names a reader of ``coverage_formats``. ``argv`` and ``after`` as in Ask; what ``env`` names is
    appended to what the variable holds.
    """

    format: str  # pytest | v8 | go | lcov
    argv: tuple[str, ...] = ()
    after: str = ""
    env: tuple[tuple[str, str], ...] = ()
    needs: str = ""  # a tool that has to be installed first, and how


@dataclass(frozen=True, slots=True)
class Select:
    """How to run chosen tests only.

    ``files``: paths of files are appended. In ``flag``, ``{names}`` stands for all names joined by
    ``join``, ``{each}`` for one argument per name; with ``each`` the whole flag is repeated for every
    name. ``leaf``: its first group is the runner's own name in a case's name (in its id with
    ``by_id``). ``env``: variables that say the same behind a wrapper that takes no arguments; ``{files}`` in
    them is the files as a shell's words, ``{names}`` as above, ``{before}`` what the variable holds.
    """

    files: bool = False
    flag: tuple[str, ...] = ()
    join: str = "|"
    regex: bool = True  # names are quoted as regular expressions
    each: bool = False
    leaf: str = ""
    by_id: bool = False
    env: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """A tiny repository (path -> text) and a command, for which ``detect`` must return this row."""

    files: tuple[tuple[str, str], ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class Framework:
    name: str
    language: str
    signs: Signs
    command: tuple[str, ...]  # the default, if the user gave none
    test_files: tuple[str, ...]
    support_files: tuple[str, ...] = ()  # fixtures and helpers that belong to the tests
    config_files: tuple[str, ...] = ()  # the runner's configuration, which GREEN may not change
    config_marks: tuple[tuple[str, str], ...] = ()  # (pattern, regular expression on its text)
    config_keys: tuple[
        tuple[str, tuple[str, ...]], ...
    ] = ()  # (shared manifest, dotted keys that steer tests)
    ask: Ask = Ask("text")
    select: Select | None = None
    measure: Measure | None = None
    parallel: tuple[str, ...] = ()  # arguments for the runner's own parallel mode
    parallel_if: tuple[tuple[str, str], ...] = ()  # (manifest, regular expression): the project has it
    parallel_module: str = ""  # a module that it needs in the suite's interpreter
    read: str = ""  # name of the text reader, where it is not the row's own
    extra_argv: tuple[str, ...] = ()  # to run all tests, not only up to the first failure
    stops: tuple[
        str, ...
    ] = ()  # words that end a run at its first failure; a run of chosen tests does without
    lists_files: bool = (
        False  # a JavaScript file that does not load is listed as a test, perhaps without a reason
    )
    runner_modules: tuple[str, ...] = ()  # modules that no file of the tree may shadow
    samples: tuple[Sample, ...] = ()
    is_test: tuple[str, ...] = ()  # samples of paths that are test files
    not_test: tuple[str, ...] = ()
    weight: int = 0  # the higher wins between rows that fit equally

    @property
    def reader(self) -> str:
        """Name of the text reader; empty for a command of no known runner."""
        return self.read or (self.name if self.name != "unknown" else "")


UNKNOWN = Framework(
    name="unknown",
    language="",
    signs=Signs(),
    command=(),
    test_files=(
        "**/test_*", "**/*_test.*", "**/*.test.*", "**/*.spec.*", "**/*_spec.*", "**/test/**", "**/tests/**",
        "**/spec/**", "**/__tests__/**",
    ),
    support_files=("fixtures/**", "**/testdata/**"),
    is_test=("tests/check.sh", "lib/a_test.zig"),
    not_test=("src/main.zig",),
)  # fmt: skip
"""Any command: judged by exit code and text, without a report."""


def _expression(glob: str) -> str:
    """Return a path pattern as an expression: ``**/`` matches any folders or none, ``*`` part of a name,
    ``{a,b}`` either."""
    out, index = [], 0
    while index < len(glob):
        if glob.startswith("**/", index):
            out.append("(?:[^/]+/)*")
            index += 3
        elif glob.startswith("**", index):
            out.append(".*")
            index += 2
        elif glob[index] == "{" and "}" in glob[index:]:
            end = glob.index("}", index)
            out.append("(?:" + "|".join(_expression(part) for part in glob[index + 1 : end].split(",")) + ")")
            index = end + 1
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(glob[index], re.escape(glob[index])))
            index += 1
    return "".join(out)


@functools.lru_cache(maxsize=2048)
def any_of(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Compile patterns as one: every path of a repository is held against them."""
    return re.compile("|".join(map(_expression, globs)) if globs else "(?!)")


def matches(path: str, globs: Iterable[str]) -> bool:
    """Whether a whole path (relative, with slashes) matches one of the patterns."""
    return bool(any_of(tuple(globs)).fullmatch(path))


def is_test_file(path: str, framework: Framework, extra: Iterable[str] = ()) -> bool:
    """Whether a new file at ``path`` counts as a test file; ``extra``: the user's own patterns."""
    return matches(path, framework.test_files) or matches(path, tuple(extra))
