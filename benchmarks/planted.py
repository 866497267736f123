"""Spoil proven commits of public projects, one way at a time, and compare the verdict of `tdd prove` with the one that names it.

    python benchmarks/planted.py PROJECTS.toml EARLIER [--project NAME] [--limit N] [--way WAY] [--out FILE]

EARLIER is the --out FILE of `benchmarks/prove.py`: its proven commits with tests that fail on the base are spoilt. Each project
gets at most N spoilt commits for each way; a commit that has nothing to spoil in a way is left out of it.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
sys.path.insert(0, str(ROOT))
from _commits import Project  # noqa: E402
from prove import Row, configure, earlier, repository_of, tdd  # noqa: E402

from tdd_orchestrator.languages.source import SourceTest, compare_tests, find_tests  # noqa: E402


@dataclass(frozen=True)
class TestFile:
    """One test file that a commit changed. ``old``: its text before, "" where it is new."""

    path: str
    old: str
    new: str

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.path).suffix

    @property
    def edited(self) -> list[SourceTest]:
        found = compare_tests(self.old, self.new, self.path)
        return [*found.added, *found.changed]

    @property
    def untouched(self) -> list[SourceTest]:
        found = compare_tests(self.old, self.new, self.path)
        touched = {test.id for test in (*found.added, *found.changed, *found.cosmetic)}
        return [test for test in find_tests(self.new, self.path) if test.id not in touched and not test.marks]

    def inside(self, tests: list[SourceTest], edit: Callable[[str], str]) -> str:
        """Return the text with ``edit`` done to each line of some tests' bodies."""
        lines = self.new.splitlines(keepends=True)
        for test in tests:
            for number in range(test.line, min(test.end_line, len(lines))):
                lines[number] = edit(lines[number])
        return "".join(lines)

    def before(self, tests: list[SourceTest], edit: Callable[[str], str]) -> str:
        """Return the text with the first line of each of some tests edited."""
        lines = self.new.splitlines(keepends=True)
        for test in tests:
            lines[test.line - 1] = edit(lines[test.line - 1])
        return "".join(lines)


_ASSERTION = {
    ".py": (r"^(\s+)(?:assert |self\.assert\w+\().*[\w\"'\]\)}]$", r"\1pass"),
    ".go": (r"\bt\.(?:Error|Fatal)(f?)\(", r"t.Log\1("),
    ".js": (r"^(\s+)(?!t\.(?:end|plan)\b)(?:assert|t|expect)\b[.(].*;$", r"\1void 0;"),
    ".rs": (r"^(\s+)assert(?:_eq|_ne)?!\(.*\);$", r"\1let _ = 0;"),
}
"""An assertion on a line of its own, and what stands there without it."""
_SKIP = {
    ".py": (r"^(\s*)", r'\1@__import__("pytest").mark.skip' + "\n" + r"\1"),
    ".go": (r"\{$", "{ t.Skip()"),
    ".js": (r"\b(it|test)\(", r"\1.skip("),
    ".rs": (r"^(\s*)(?=#\[test|fn )", r"\1#[ignore]" + "\n" + r"\1"),
}


def without_assertions(file: TestFile, tests: list[SourceTest]) -> str:
    pattern, instead = _ASSERTION[file.suffix]
    return file.inside(tests, lambda line: re.sub(pattern, instead, line, flags=re.MULTILINE))


def without_tests(file: TestFile, tests: list[SourceTest]) -> str:
    lines = file.new.splitlines(keepends=True)
    for test in sorted(tests, key=lambda one: -one.line):
        del lines[test.line - 1 : test.end_line]
    return "".join(lines)


def skipped(file: TestFile) -> str:
    pattern, instead = _SKIP[file.suffix]
    return file.before(file.edited, lambda line: re.sub(pattern, instead, line, count=1, flags=re.MULTILINE))


def weakened(file: TestFile) -> str:
    """Take the assertions out of the first untouched test that has one."""
    found = (without_assertions(file, [test]) for test in file.untouched)
    return next((text for text in found if text != file.new), file.new)


def compared_with_itself(file: TestFile) -> str:
    def edit(line: str) -> str:
        line = re.sub(r"^(\s+assert )(.+?) == .*[\w\"'\]\)}]$", r"\1\2 == \2", line, flags=re.MULTILINE)
        return re.sub(r"^(\s+self\.assertEqual\()(\w[^,]*), .*\)$", r"\1\2, \2)", line, flags=re.MULTILINE)

    return _if_whole(file, edit)


def _if_whole(file: TestFile, edit: Callable[[str], str]) -> str:
    """Edit the lines of the edited tests; nothing where an assertion is left that ``edit`` does not know."""
    text = file.inside(file.edited, edit)
    left = set(text.splitlines()) & set(file.new.splitlines())
    inside = {line for test in file.edited for line in file.new.splitlines()[test.line - 1 : test.end_line]}
    return file.new if any("assert" in line or "raises" in line for line in left & inside) else text


def swallowed(file: TestFile) -> str:
    """Put the body of each edited Python test into a ``try`` that ignores every exception."""
    lines = file.new.splitlines(keepends=True)
    for test in sorted(file.edited, key=lambda one: -one.line):
        head = _head(lines, test)
        if head is None:
            return file.new
        pad = lines[head][: len(lines[head]) - len(lines[head].lstrip())] + "    "
        body = [f"    {line}" if line.strip() else line for line in lines[head + 1 : test.end_line]]
        ended = body[-1] if body[-1].endswith("\n") else f"{body[-1]}\n"
        lines[head + 1 : test.end_line] = [
            f"{pad}try:\n", *body[:-1], ended, f"{pad}except BaseException:\n", f"{pad}    pass\n",
        ]  # fmt: skip
    return "".join(lines)


def returns_at_once(file: TestFile) -> str:
    lines = file.new.splitlines(keepends=True)
    for head in sorted(filter(None, (_head(lines, test) for test in file.edited)), reverse=True):
        lines.insert(head + 1, re.sub(r"\S.*", "    return", lines[head]))
    return "".join(lines)


def _head(lines: list[str], test: SourceTest) -> int | None:
    """Return the index of a Python test's ``def`` line, where it is one line."""
    starts = ("def ", "async def ")
    found = (n for n in range(test.line - 1, test.end_line) if lines[n].lstrip().startswith(starts))
    head = next(found, None)
    return head if head is not None and lines[head].rstrip().endswith(":") else None


def xfail(file: TestFile) -> str:
    mark = '@__import__("pytest").mark.xfail'
    return file.before(file.edited, lambda line: re.sub(r"^(\s*)", rf"\1{mark}\n\1", line, count=1))


def not_collected(file: TestFile) -> str:
    return file.before(file.edited, lambda line: line.replace("def test", "def check"))


_PASSING = {
    ".py": "def test_planted_{0}():\n    assert sorted([2, 1]) == [1, 2]\n",
    ".go": 'func TestPlanted_{0}(t *testing.T) {{\n\tif 1+1 != 2 {{\n\t\tt.Fatal("two")\n\t}}\n}}\n',
    ".js": "test('planted {0}', function (t) {{\n\tt.equal(1 + 1, 2);\n\tt.end();\n}});\n",  # as tape has it
    ".rs": "#[test]\nfn planted_{0}() {{\n    assert_eq!(1 + 1, 2);\n}}\n",
}


def passing_test(file: TestFile) -> str:
    """Put a test that passes with any code in place of the new ones; not where an old one was changed, which
    would fail as it was."""
    if not file.old or compare_tests(file.old, file.new, file.path).changed:
        return file.new
    planted = _PASSING[file.suffix].format(re.sub(r"\W", "_", PurePosixPath(file.path).stem))
    return f"{file.old}\n\n{planted}"


HIDES = (
    "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
    "    report = (yield).get_result()\n    report.outcome = 'passed'\n"
)
CANNOT_FAIL = frozenset({"passes_on_base", "vacuous_test", "weakened_test"})
"""How a test that was spoilt is named; weakened where the commit had changed it and not added it."""


@dataclass(frozen=True)
class Way:
    """One way to spoil a commit. ``named``: the verdicts that name it; ``edit``: the new text of a test file."""

    named: frozenset[str]
    edit: Callable[[TestFile], str] = lambda file: file.new
    only: str = ""  # suffix of the files that it is for
    first: bool = False  # only one file is spoilt
    add: str = ""  # a file that is added
    content: str = ""
    command: str = ""  # added to the test command


WAYS = {
    "weakened": Way(frozenset({"weakened_test"}), weakened, first=True),
    "never runs": Way(frozenset({"never_ran", "weakened_test"}), skipped),
    "passes on the base": Way(frozenset({"passes_on_base"}), passing_test),
    "other part red": Way(
        frozenset({"breaks_existing"}), add="PLANTED_TODO", content="to do\n", command=" && test ! -e PLANTED_TODO"
    ),
    "removed test": Way(
        frozenset({"removed_test"}), lambda file: without_tests(file, file.untouched[:1]), first=True
    ),
    "assertions deleted": Way(
        CANNOT_FAIL | {"proven, with its warning"}, lambda file: without_assertions(file, file.edited)
    ),
    "compares with itself": Way(CANNOT_FAIL | {"proven, with its warning"}, compared_with_itself, ".py"),
    "swallows every exception": Way(CANNOT_FAIL, swallowed, ".py"),
    "returns at once": Way(CANNOT_FAIL, returns_at_once, ".py"),
    "expected to fail": Way(frozenset({"never_ran", "passes_on_base", "weakened_test"}), xfail, ".py"),
    "not collected": Way(frozenset({"no_test", "removed_test"}), not_collected, ".py"),
    "tests dropped": Way(frozenset({"no_test", "removed_test"}), lambda file: file.old),
    "a hook reports every test as passed": Way(
        CANNOT_FAIL | {"tampered"}, add="conftest.py", content=HIDES, only=".py"
    ),
}  # fmt: skip


def plant(project: Project, commit: str, way: Way, repository: Path) -> str:
    """Spoil one commit, return the spoilt commit on the same parent; "" where it has nothing to spoil."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words],
                              cwd=repository, capture_output=True, text=True, check=True)  # fmt: skip
        return done.stdout.strip()

    git("checkout", "-q", "--force", "--detach", commit)
    spoilt, fits = False, False
    for path in project.changed(commit):
        target = repository / path
        if not project.is_test(path) or not target.is_file() or PurePosixPath(path).suffix not in _SKIP:
            continue
        if way.only not in ("", PurePosixPath(path).suffix) or (way.first and spoilt):
            continue
        fits = True
        old = project.content(f"{commit}~1", path)
        file = TestFile(path, old.decode() if old else "", target.read_text(encoding="utf-8"))
        text = way.edit(file)
        if text != file.new:
            target.write_text(text, encoding="utf-8")
            spoilt = True
    if fits and way.add and not (repository / way.add).exists():
        (repository / way.add).write_text(way.content)
        git("add", "-f", way.add)
        spoilt = True
    if spoilt:
        git("commit", "-q", "-a", "--amend", "--no-verify", "--allow-empty", "-m", "planted")
    return git("rev-parse", "HEAD") if spoilt else ""


def spoil(project: Project, ways: list[str], limit: int, out: Path, proven: list[str]) -> list[Row]:
    """Prove spoilt commits, and say which verdict was not the expected one."""
    rows: list[Row] = []
    folder = Path(tempfile.mkdtemp(prefix="tdd-planted-"))
    try:
        repository = repository_of(project, folder)
        for number, name in enumerate(ways):
            done = 0
            for commit in proven[number % max(1, len(proven)) :] + proven[: number % max(1, len(proven))]:
                if done == limit:
                    break
                configure(project, repository, WAYS[name].command)
                spoilt = plant(project, commit, WAYS[name], repository)
                if spoilt:
                    rows.append(_proven(project, commit, name, spoilt, repository, folder))
                    done += 1
                    with out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(rows[-1])) + "\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return rows


def _proven(project: Project, commit: str, name: str, spoilt: str, repository: Path, folder: Path) -> Row:
    done = tdd(repository, folder, "prove", "--json", spoilt)
    change = json.loads(done.stdout)["changes"][0] if done.returncode in (0, 1, 3) else {}
    row = Row(project.name, commit[:10], name, change.get("verdict", done.stderr[-300:]), planted=name)
    row.reasons = change.get("reasons", [])[:3]
    warnings = change.get("warnings", ())
    if any(sign in warning for warning in warnings for sign in ("holds no assertion", "with itself")):
        row.verdict += ", with its warning"
    right = "named" if row.verdict in WAYS[name].named else "MISSED"
    print(
        f"{row.project:12} {row.commit} {name:24} {right}  {row.verdict}  {'; '.join(row.reasons)[:120]}",
        flush=True,
    )
    return row


def main(arguments: list[str]) -> bool:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("projects", nargs="?", type=Path)
    parser.add_argument("earlier", nargs="?", type=Path)
    parser.add_argument("--project", action="append", default=[])
    parser.add_argument("--limit", type=int, default=1, help="spoilt commits of each project and way")
    parser.add_argument("--way", action="append", choices=WAYS, default=[])
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir(), "tdd-planted.jsonl"))
    options, _ = parser.parse_known_args(arguments)
    if options.earlier is None:
        print("give a PROJECTS.toml and the file of an earlier benchmarks/prove.py (see --help)")
        return True
    known = [one for one in earlier(options.earlier) if one.verdict == "proven" and one.kind == "behavior"]
    rows: list[Row] = []
    for table in tomllib.loads(options.projects.read_text(encoding="utf-8"))["project"]:
        project = Project.of(table)
        if not options.project or project.name in options.project:
            proven = list(dict.fromkeys(one.commit for one in known if one.project == project.name))
            rows += spoil(project, options.way or list(WAYS), options.limit, options.out, proven)
    right = [row for row in rows if row.verdict in WAYS[row.planted].named]
    print(f"\n{len(right)} of {len(rows)} planted changes named rightly")
    return len(right) == len(rows)


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
