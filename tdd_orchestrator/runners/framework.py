"""One test framework = one row of plain data; adding one is adding a row (with its samples) in
``frameworks/``."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Signs:
    """How a repository or a command shows that the framework lives there.

    ``files``: patterns of paths; ``manifests``: (pattern of paths, regular expression on the text);
    ``words``: regular expressions on a whole command line. A word outweighs a manifest, a manifest outweighs
    a file.
    """

    files: tuple[str, ...] = ()
    manifests: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """How to get a structured report at a private place without touching the user's configuration.

    ``{report}``, ``{folder}`` and ``{nonce}`` are filled in. ``argv`` needs a command that names the runner
    itself (or an npm script that ends with it); ``env`` goes through any wrapper that hands its environment
    on.
    """

    format: str  # events | junit | json | trx | tap | text: what is found at ``file``
    argv: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    file: str = "report.xml"  # in the private folder; with a trailing slash: a folder of reports
    after: str = ""  # argv goes right after this word of the command; "" = at the end
    unless: tuple[str, ...] = ()  # options of the user's own that say the same: then argv is left out
    collect: tuple[str, ...] = ()  # patterns of reports in the tree, for runners that write nowhere else
    partial: bool = False  # it covers some of the tests only, and of none where there are none of them


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


@dataclass(frozen=True, slots=True)
class Select:
    """How to run chosen tests only. ``files``: paths of files are appended. In ``flag``, ``{names}`` stands
    for all names joined by ``join``, a word ``{each}`` for every name as a word of its own; with ``each`` the
    whole flag is repeated for every name. ``leaf`` finds the runner's own name in a case's name (its first
    group); with ``by_id`` in its id, where the name is one for people."""

    files: bool = False
    flag: tuple[str, ...] = ()
    join: str = "|"
    regex: bool = True  # names are quoted as regular expressions
    each: bool = False
    leaf: str = ""
    by_id: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """A tiny repository (path -> text) and a command, in which this row must be what ``detect`` finds."""

    files: tuple[tuple[str, str], ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class Framework:
    name: str
    language: str
    signs: Signs
    command: tuple[str, ...]  # the default, where the user gave none
    test_files: tuple[str, ...]
    support_files: tuple[str, ...] = ()  # fixtures and helpers that belong to the tests
    config_files: tuple[str, ...] = ()  # files that steer the runner: GREEN may not touch them
    config_marks: tuple[tuple[str, str], ...] = ()  # (pattern, regular expression): where its text says so
    config_keys: tuple[
        tuple[str, tuple[str, ...]], ...
    ] = ()  # (shared manifest, dotted keys that steer tests)
    ask: Ask = Ask("text")
    select: Select | None = None
    measure: Measure | None = None
    parallel: tuple[str, ...] = ()  # what to append for the runner's own parallel mode
    parallel_if: tuple[tuple[str, str], ...] = ()  # (manifest, regular expression): the project has it
    parallel_module: str = ""  # what the suite's interpreter must have for it
    read: str = ""  # name of the text reader
    extra_argv: tuple[str, ...] = ()  # so that every test runs, not only those up to the first failure
    lists_files: bool = (
        False  # a JavaScript file that does not load is listed as a test, perhaps without a reason
    )
    runner_modules: tuple[str, ...] = ()  # names that nothing in the tree may shadow
    samples: tuple[Sample, ...] = ()
    is_test: tuple[str, ...] = ()  # samples of paths that are test files
    not_test: tuple[str, ...] = ()
    weight: int = 0  # between rows that fit equally: the higher is taken


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
"""Any command at all: read by exit code and text, without a report."""


@functools.lru_cache(maxsize=2048)
def _pattern(glob: str) -> re.Pattern[str]:
    """A path pattern: ``**/`` is any folders or none, ``*`` stays within a name, ``{a,b}`` is either."""
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
            out.append(
                "(?:" + "|".join(_pattern(part).pattern for part in glob[index + 1 : end].split(",")) + ")"
            )
            index = end + 1
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(glob[index], re.escape(glob[index])))
            index += 1
    return re.compile("".join(out))


def matches(path: str, globs: Iterable[str]) -> bool:
    """Whether a path (relative, with slashes) fits one of the patterns, from its first to its last
    character."""
    return any(_pattern(glob).fullmatch(path) for glob in globs)


def is_test_file(path: str, framework: Framework, extra: Iterable[str] = ()) -> bool:
    """Whether a new file at ``path`` counts as a test file; ``extra`` are the user's own patterns."""
    return matches(path, framework.test_files) or matches(path, tuple(extra))


def is_support_file(path: str, framework: Framework) -> bool:
    return matches(path, framework.support_files)


def steers_tests(path: str, framework: Framework) -> bool:
    """Whether the whole file belongs to the runner's configuration."""
    return matches(path, framework.config_files)
