"""Production code that talks to its test runner, to the end of its process or to the proof's environment (T7, T8).

By language: what is honest in one is a trick in another. Patterns are read line by line, in new lines only; literals
that are only joined to one another (``'Mini' + 'test'``) are read as one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tdd_orchestrator.late import Late


@dataclass(frozen=True, slots=True)
class Reach:
    """``suffixes``: of the files that are read; ``programs``: of the first line of a script without a suffix;
    ``tests``: how test files end in a project where it is a trick; empty: in any."""

    suffixes: tuple[str, ...]
    programs: tuple[str, ...]
    pattern: Late
    tests: str = ""


def _row(suffixes: str, programs: str, *patterns: str, tests: str = "") -> Reach:
    return Reach(tuple(suffixes.split()), tuple(programs.split()), Late("|".join(patterns)), tests)


_ASSERTS = r"(?:strictEqual|deepStrictEqual|deepEqual|notEqual|notStrictEqual)"
_SPEAKERS = (
    r"(?:node:test|jest|vitest|mocha|ava|tape|@jest/[^'\"]*|@vitest/[^'\"]*|jest-[^'\"]*|mocha/[^'\"]*)"
)

REACHES: tuple[Reach, ...] = (
    _row(
        ".py .pyi", "python",
        r"\b(?:import|from)\s+(?:_pytest|pytest|pluggy|unittest|nose2|xdist)\b",
        r"(?:__import__|import_module)\(\s*['\"](?:_pytest|pytest|pluggy|unittest)",
        r"sys\.modules(?:\[|\.(?:get|pop)\()\s*['\"](?:_?pytest|__main__|unittest)|\bfor\b.*\bin\b.*\bsys\.modules\b",
        r"\bPYTEST_(?:CURRENT_TEST|VERSION)\b",
        r"\b(?:f_locals|f_globals|f_back|_current_frames)\b|\.__code__\s*=(?!=)|\bsys\.monitoring\b|\bpythonapi\b",
        r"['\"](?:_getframe|get_objects|settrace|setprofile)['\"]|\bpytest_(?:runtest|pyfunc|report|collection|session)\w*\b",
        r"(?<!\bself)(?<=[\w)\]])\.pluginmanager\b(?!\s+import)|['\"]pluginmanager['\"]|\bPytestPluginManager\b",
        r"\bgc\.get_(?:objects|referrers|referents)\(|\bsys\.(?:settrace|setprofile)\(|\bsys\._getframe\(",
        r"\bvars\(\s*sys\s*\)|\bsys\.__dict__|\bgetattr\(\s*sys\s*,\s*['\"](?:modules|settrace|setprofile|_getframe)\b",
        r"\bos\._exit\(|\batexit\.register\([^)]*exit",
    ),
    _row(
        ".js .jsx .ts .tsx .mjs .cjs .mts .cts .vue .svelte", "node deno bun tsx",
        rf"(?:require|import)\(\s*['\"]{_SPEAKERS}['\"]|(?:from|import)\s+['\"]{_SPEAKERS}['\"]",
        r"process\.(?:reallyExit|exit|exitCode)\s*=(?![=>])(?!\s*\d)|\breallyExit\b",
        r"defineProperty\(\s*process\s*,\s*['\"]exit",
        r"global(?:This)?\s*(?:\.|\[\s*['\"])\s*(?:it|test|expect|describe|assert|before|after|beforeEach|afterEach)\b",
        r"(?:\.|\[\s*['\"])" + _ASSERTS + r"(?:['\"]\s*\])?\s*=(?![=>])",
        r"\bassert(?:\.strict)?\.\w+\s*=(?![=>])|(?:assign|defineProperty)\(\s*assert\b",
        r"\[\s*['\"](?:expect|describe)['\"]\s*\]",
        r"\bexpect\.(?:extend|getState|setState|addSnapshotSerializer)\(|\bjest\.(?:mock|fn|spyOn|setTimeout|requireActual)\(",
        r"\bexecutionAsyncResource\b|\bcreateHook\(\s*\{\s*init\b",
        r"\bModule\._(?:load|resolveFilename|extensions)\s*=|\bModule\.prototype\.\w+\s*=",
        r"require\.cache\b.*\b(?:mocha|jest|vitest|assert|chai)\b",
        r"process\.env\.(?:NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST\w*)",
        r"process\.on\(\s*['\"]exit['\"].*(?:exitCode\s*=|[eE]xit\()",
    ),
    _row(
        ".go", "",
        r"^\s*(?:import\s+)?(?:[\w.]+\s+)?\"testing(?:/\w+)?\"|[(;]\s*\"testing\"",
        r"^//go:linkname\b|\bsyscall\.Exit\(|--- PASS:",
        r"\bos\.Args\s*=|[\"`]-test\.\w+|flag\.(?:Set|Lookup)\(\s*[\"`]test\.",
    ),
    _row(
        ".rb .rake .gemspec .ru", "ruby",
        r"\b(?:Minitest|MiniTest|RSpec|Test::Unit)(?:\.|::)\w|\b(?:module|class)\s+(?:Minitest|RSpec|Test::Unit)\b",
        r"const_get\(\s*:?['\"]?(?:Minitest|RSpec|Test)\b|require\s*\(?\s*['\"](?:minitest|rspec|test/unit)",
        r"\bat_exit\b.*\bexit|\bObjectSpace\.each_object\b",
    ),
    _row(
        ".pm .pl", "perl",
        r"\bTest::(?:More|Builder|Simple|Harness|Most|Deep)\b|\bTest2::|\bTAP::|(?<!\w)_exit\s*\(|\bIX::_exit\b|\bPOSIX::_exit\b",
        r"\bsyswrite\b\s*\(?\s*\*?\{?\s*STDOUT\b|\bmain::(?:is|ok|is_deeply|like|pass|fail|done_testing|TODO)\b|\bprint\b[^;]*['\"](?:\\n)?ok \d",
    ),
    _row(
        ".php", "php",
        r"PHPUnit\\|\bPHPUnit_|register_shutdown_function\(.*\bexit\b",
        r"->(?:expectException\w*|markTest\w+|addToAssertionCount)\(",
    ),
    _row(
        ".rs", "",
        r"\blink_section\b|\bno_mangle\b.*\bmain\b|macro_rules!\s*(?:assert|assert_eq|assert_ne|panic)\b",
        r"\btest result: ok|\btest \S+ \.\.\. ok",
    ),
    _row(
        ".lua", "lua luajit",
        r"require\s*\(?\s*['\"](?:luassert|busted|luaunit)|^\s*(?:assert|it|describe|pending)\s*=|_G\.(?:assert|it|describe|pending)\s*=",
        r"\bpending\s*\(",
    ),
    _row(".ex", "elixir", r"\bExUnit\b|:ex_unit\b"),
    _row(".erl .hrl", "escript", r"-include(?:_lib)?\(\"eunit|\beunit\w*:"),
    _row(
        ".sh .bash", "sh bash zsh dash",
        r"\bBATS_(?!TEST_DIRNAME)\w+|\bbats_\w+|(?:^|\s)(?:function\s+)?\[\s*\(\)|\bfunction\s+\[|\balias\s+['\"]?\[",
        r"\benable\s+-n\b|\bhash\s+-p\b|^\s*(?:function\s+)?(?:test|assert\w*|refute\w*)\s*\(\)",
    ),
    _row(".sh .bash", "sh bash zsh dash", r"^\s*(?:function\s+)?(?:run|skip)\s*\(\)", tests=".bats"),
    _row(
        ".java .kt .scala .groovy", "",
        r"^\s*import\s+(?:static\s+)?(?:org\.junit|junit\.framework|org\.testng|org\.spockframework)\b",
        r"Runtime\.getRuntime\(\)\.halt\(|\bsetSecurityManager\(",
    ),
    _row(".cs .fs .vb", "", r"^\s*(?:using|open|Imports)\s+(?:Xunit|NUnit|Microsoft\.VisualStudio\.TestTools)\b"),
    _row(".swift", "swift", r"^\s*import\s+(?:XCTest|Testing)\b", r"\bfunc\s+XCT\w+|\bmacro\s+(?:expect|require|Test|Suite)\b"),
    _row(".nim", "", r"^\s*(?:import|from)\s+(?:std/)?unittest\b"),
)  # fmt: skip
_EVERYWHERE = Late(r"\bTDD_(?:COOKIE|PHASE|OUTPUT_DIR|WITNESS)")
_JOINED = re.compile(r"['\"]\s*(?:\+|\.\.?|<>|~)\s*['\"]")
_BESIDE = re.compile(r"(['\"])[ \t]+\1")  # Python joins literals that stand beside each other
_LONGEST = 2000  # characters of a line that is looked at


def reached(path: str, before: str, after: str, test_files: tuple[str, ...] = ()) -> str:
    """The first new line of ``after`` that reaches out; empty where none does. ``test_files``: patterns of the project's."""
    known = frozenset(before.splitlines())
    rows = (row for row in REACHES if any(one.endswith(row.tests) for one in test_files) or not row.tests)
    patterns = [_EVERYWHERE, *(row.pattern for row in rows if _is_of(path, after, row))]
    for line in after.splitlines():
        if line in known or len(line) > _LONGEST:
            continue
        read = _JOINED.sub("", line)
        read = _BESIDE.sub("", read) if path.endswith(".py") else read
        if any(pattern.search(read) for pattern in patterns):
            return line.strip()
    return ""


def _is_of(path: str, text: str, row: Reach) -> bool:
    name = path.rsplit("/", 1)[-1]
    if "." in name:
        return name.endswith(row.suffixes)
    first = text.split("\n", 1)[0]
    return first.startswith("#!") and any(
        re.search(rf"[/ ]{one}[\d.]*(?:\s|$)", first) for one in row.programs
    )
