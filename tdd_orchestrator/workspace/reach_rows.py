"""Production code that talks to its test runner, to the end of its process or to the proof's environment (T7, T8): the
patterns. By language: what is honest in one is a trick in another."""

from __future__ import annotations

from dataclasses import dataclass

from tdd_orchestrator.late import Late


@dataclass(frozen=True, slots=True)
class Reach:
    """``suffixes``: of the files that are read; ``programs``: of the first line of a script without a suffix;
    ``tests``: how test files end in a project where it is a trick; empty: in any. ``looks``: honest code may look like
    it, so it is only told where a witness in the runner's process sees what it does; ``finds``: also, but for a file that
    ``names`` tests, for what it finds may be a test then; ``plugin``: only in a project that is a plug-in of the runner's."""

    suffixes: tuple[str, ...]
    programs: tuple[str, ...]
    pattern: Late
    tests: str = ""
    looks: Late | None = None
    finds: Late | None = None
    names: Late | None = None
    plugin: Late | None = None


def _row(
    suffixes: str,
    programs: str,
    *patterns: str,
    tests: str = "",
    **more: tuple[str, ...],
) -> Reach:
    return Reach(
        tuple(suffixes.split()),
        tuple(programs.split()),
        Late("|".join(patterns)),
        tests,
        **{name: Late("|".join(some)) for name, some in more.items()},
    )


_ASSERTS = r"(?:strictEqual|deepStrictEqual|deepEqual|notEqual|notStrictEqual)"
_SPEAKERS = (
    r"(?:node:test|jest|vitest|mocha|ava|tape|@jest/[^'\"]*|@vitest/[^'\"]*|jest-[^'\"]*|mocha/[^'\"]*)"
)

_NAMED = (
    r"(?:assert|refute)_(?:equal|nil|empty|in_delta|in_epsilon|includes|instance_of|kind_of|match|mock|not_\w+|operator"
    r"|output|path_exists|pattern|predicate|raises?|respond_to|same|send|silent|throws)"
)
_CHECKS = rf"(?:{_NAMED}|assert|refute)"
_BUILT_IN = r"eq|eql|equal|be|be_(?:nil|truthy|falsey|a|an|within|between)|match\w*|include|raise_error|contain_exactly|have_attributes|change|satisfy"
_MATCHER = rf"Matchers(?:\.define\(?\s*:(?!(?:{_BUILT_IN})\b)\w|::DSL\b)"
_OF_BATS = (
    r"(?:not_)?equal|success|failure|(?:not_)?output|(?:not_)?regex|(?:stderr_)?line\w*|stderr|(?:not_)?exists?"
    r"|(?:not_)?(?:file|dir|link|symlink|block|character|socket|fifo|size|files)_?\w*"
)
REACHES: tuple[Reach, ...] = (
    _row(
        ".py .pyi", "python",
        r"\b(?:import|from)\s+(?:_pytest|nose2|xdist)\b",
        r"(?:__import__|import_module)\(\s*['\"](?:_pytest|pytest|pluggy|unittest)",
        r"sys\.modules(?:\[|\.(?:get|pop)\()\s*['\"](?:_?pytest|unittest)",
        r"\bPYTEST_(?:CURRENT_TEST|VERSION)\b",
        r"\.f_locals\b|['\"]f_locals['\"]|\.__code__\s*=(?!=)|\bsys\.monitoring\b|\bpythonapi\b",
        r"\bgetattr\([^)]*['\"](?:_getframe|_current_frames|get_objects|settrace|setprofile)['\"]",
        r"['\"]pluginmanager['\"]|\bPytestPluginManager\b|\bsys\.(?:settrace|setprofile)\(",
        r"\bvars\(\s*sys\s*\)|\bsys\.__dict__|\bgetattr\(\s*sys\s*,\s*['\"]modules\b",
        r"\bf_globals\s*\[|\bf_globals\.(?!get\b|copy\b)|\bexpecting_failure\b|\b_type_equality_funcs\b",
        r"(?<!\bself\.)\b(?:addTypeEqualityFunc|failureException|_testMethodName|_baseAssertEqual|_getAssertEqualityFunc)\b",
        r"\.assert[A-Z]\w+\s*=(?!=)",
        looks=(
            r"\b(?:import|from)\s+unittest\b|sys\.modules(?:\[|\.(?:get|pop)\()\s*['\"]__main__",
            r"\bos\._exit\(|\batexit\.register\([^)]*exit",
        ),
        finds=(
            r"\bfor\s[\w\s,()*]{1,80}?\sin\s[\w\s(.,*\[{'\"]{0,60}sys\.modules\b|\b(?:f_locals|f_globals|f_back|_current_frames)\b",
            r"['\"](?:_getframe|get_objects|settrace|setprofile)['\"]|\bgc\.get_(?:objects|referrers|referents)\(|\bsys\._getframe\(",
        ),
        names=(r"\bunittest\b|\bpytest\b|TestCase|_testMethod|\.assert[A-Z]|['\"][tT]est_?|Tests?['\"]",),
        plugin=(
            r"\b(?:import|from)\s+(?:pytest|pluggy)\b|\bpytest_(?:runtest|pyfunc|report|collection|session)\w*\b",
            r"(?<!\bself)(?<=[\w)\]])\.pluginmanager\b(?!\s+import)",
        ),
    ),
    _row(
        ".js .jsx .ts .tsx .mjs .cjs .mts .cts .vue .svelte", "node deno bun tsx",
        rf"(?:require|import)\(\s*['\"]{_SPEAKERS}['\"]|(?:from|import)\s+['\"]{_SPEAKERS}['\"]",
        r"process\.(?:exit\s*=(?![=>])|exitCode\s*=\s*(?:undefined|null|void)\b)|\breallyExit\b",
        r"defineProperty\(\s*process\s*,\s*['\"]exit",
        r"global(?:This)?\s*(?:\.|\[\s*['\"])\s*(?:it|test|expect|describe|assert|before|after|beforeEach|afterEach)\b",
        r"(?:(?<!\bexports)\.|\[\s*['\"])" + _ASSERTS + r"(?:['\"]\s*\])?\s*=(?![=>])",
        r"\bassert(?:\.strict)?\.\w+\s*=(?![=>])|(?:assign|defineProperty)\(\s*assert\b",
        r"\[\s*['\"](?:expect|describe)['\"]\s*\]",
        r"\bexpect\.(?:extend|getState|setState|addSnapshotSerializer)\(|\bjest\.(?:mock|fn|spyOn|setTimeout|requireActual)\(",
        r"\bexecutionAsyncResource\b|\bcreateHook\(\s*\{\s*init\b(?!\s*\((?:[^,()]*,){0,2}[^,().]*\))",
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
        r"\b(?:Minitest|MiniTest|Test::Unit)(?:\.|::)\w|\bRSpec(?:\.|::)(?!" + _MATCHER + ")",
        r"\b(?:module|class)\s+(?:Minitest|RSpec|Test::Unit)\b|const_[gs]et\(?\s*%[wW]",
        r"const_get\(\s*:?['\"]?(?:Minitest|RSpec|Test)\b|const_set\(?\s*:?['\"]?\w*(?:Test|Spec)\b",
        rf"\bdef\s+(?:\w+\.)?{_NAMED}\b",
        r"require\s*\(?\s*['\"](?:minitest|rspec(?!/(?:expectations|matchers)['\"])|test/unit)",
        r"\bat_exit\b.{0,200}\b_?exit(?:\b|!)|\bObjectSpace\.each_object\b.{0,200}(?:\bname\b|to_s\b|inspect\b|['\"]|const_get)",
        r"define_(?:singleton_)?method\(?\s*:?['\"]?(?:" + _CHECKS + r"|failures|expect|eq|eql|is_expected)\b",
        r"\b(?:prepend|extend|include|refine|new|class_eval|instance_eval|singleton_class)\b.{0,200}\bdef\s+(?:" + _CHECKS + r"|expect|eq)\b",
    ),
    _row(
        ".pm .pl", "perl",
        r"\bTest::(?:More|Builder|Simple|Harness|Most|Deep)\b|\bTest2::|\bTAP::|(?<!\w)_exit\s*\(|\bIX::_exit\b|\bPOSIX::_exit\b",
        r"\bsyswrite\b\s*\(?\s*\*?\{?\s*STDOUT\b|\bmain::(?:is|ok|is_deeply|like|pass|fail|done_testing|TODO)\b|\bprint\b[^;]*['\"](?:\\n)?ok \d",
    ),
    _row(
        ".php", "php",
        r"PHPUnit\\(?!Framework\\Assert;)|\bPHPUnit_|register_shutdown_function\(.{0,400}\b(?:exit|die)\s*[(;]",
        r"(?:->|::)(?:expectException\w*|markTest\w+|addToAssertionCount)\(|['\"]expect['\"][\s,.]+['\"]Exception",
        r"\bdebug_backtrace\(.{0,200}\[\s*['\"]object['\"]\s*\]|\bDEBUG_BACKTRACE_PROVIDE_OBJECT\b",
        r"\bclass\s+(?:IsIdentical|IsEqual\w*)\b|\beval\(.{0,200}\bnamespace\b",
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
        r"\benable\s+-n\b|\bhash\s+-p\b|^\s*(?:function\s+)?(?:test|(?:assert|refute)(?:[A-Z]\w*|_(?:" + _OF_BATS + r"))?)\s*\(\)",
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
