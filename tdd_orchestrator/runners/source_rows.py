"""How tests look in the text of each language: patterns for a test's head, its assertions, and what disarms it."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from tdd_orchestrator.late import Late


@dataclass(frozen=True, slots=True)
class SourceRow:
    """``test``: the head of a test, its name in a group of that name. ``group``: what encloses tests. ``blocks``:
    braces, indent (for languages that end blocks with a word), or statement (a block that opens on the head's line or
    begins the next one, else up to the semicolon)."""

    suffixes: tuple[str, ...]
    test: Late
    group: Late
    asserting: Late
    marks: Late
    hollow: Late
    imports: Late
    blocks: str = "braces"
    comment: str = "//"


_NEVER = r"(?!)"


def _row(
    suffixes: str, test: str, *, group: str = _NEVER, asserting: str, marks: str = _NEVER, hollow: str = _NEVER,
    imports: str, blocks: str = "braces", comment: str = "//",
) -> SourceRow:  # fmt: skip
    one = functools.partial(Late, flags=re.MULTILINE)
    return SourceRow(
        tuple(suffixes.split()), one(test), one(group), one(asserting), one(marks), one(hollow), one(imports), blocks, comment
    )  # fmt: skip


_QUOTED = r"(?P<quote>['\"`])(?P<name>(?:\\.|(?!(?P=quote)).)*)(?P=quote)"

ROWS: tuple[SourceRow, ...] = (
    _row(
        ".js .jsx .ts .tsx .mjs .cjs .mts .cts",
        r"^[ \t]*(?P<mark>x?it|x?test|fit|specify|QUnit\.test|Deno\.test)(?P<mods>(?:\.\w+)*)(?:\([^()\n]*\)|`[^`]*`)?\(\s*" + _QUOTED,
        group=r"^[ \t]*(?:x|f)?(?:describe|context|suite|module|test\.describe|QUnit\.module)(?:\.\w+)*\(\s*" + _QUOTED,
        asserting=r"\bexpect\w*\s*[(.]|\bassert\w*\s*[(.]|\bt\.(?!plan|end|comment|teardown|beforeEach|context)\w+\(|\.should\b|\bcy\.\w+|\bsinon\.assert",
        marks=r"\b(?:x(?:it|test|describe)\b|(?:it|test|describe)\.(?:skip|todo|failing|fails|fixme|only)\b|fit\b|this\.skip\(|t\.(?:skip|todo)\(|skip:\s*true|todo:\s*true)",
        hollow=r"expect\((true|1|'\w*')\)\.(?:toBe|toEqual)\(\1\)|assert(?:\.ok)?\(true\)|assert\.(?:strictE|e)qual\((\w+), ?\2\)",
        imports=r"^\s*(?:import\b|export\b.*\bfrom\b|(?:const|let|var)\b.*\brequire\(|\}\s*from\s)",
    ),
    _row(
        ".go",
        r"^func (?P<name>(?:Test|Example|Fuzz)\w*)\(",
        asserting=r"\bt\.(?:Error|Fatal|Fail)\w*\(|\b(?:assert|require|is|qt|check)\.\w+\(|cmp\.Diff|// Output:",
        marks=r"\bt\.(?:Skip|SkipNow|Skipf)\(",
        hollow=r"(?:assert|require)\.True\(t, true\)",
        imports=r'^\s*(?:import\b|(?:[\w.]+ )?"[\w./-]+"$)',
    ),
    _row(
        ".rs",
        r"#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b[^\]]{0,500}\]\s*+(?:#\[[^\]]{0,500}\]\s*+){0,20}(?:pub )?(?:async )?fn (?P<name>\w+)",
        group=r"^[ \t]*(?:pub )?mod (?P<name>\w+)\s*\{",
        asserting=r"\b(?:debug_)?assert\w*!|\bpanic!|should_panic|\.unwrap_err\(\)|\?;|\.unwrap\(\)|\.expect\(",
        marks=r"#\[ignore",
        hollow=r"assert!\(true\)|assert_eq!\((\w+), ?\1\)",
        imports=r"^\s*(?:use|extern crate|mod \w+;)\b",
    ),
    _row(
        ".java .kt .groovy .scala",
        r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b(?:\([^)]{0,500}\))?\s*+(?:@\w++(?:\([^)]{0,500}\))?\s*+){0,20}"
        r"(?:(?:public|private|protected|internal|static|final|suspend)\s+)*(?:fun\s+|[\w<>\[\]]+\s+)(?P<quote>`?)(?P<name>[^`(\n]+?)(?P=quote)\s*\(",
        group=r"\bclass (?P<name>\w+)",
        asserting=r"\b(?:assert|verify|expect|fail|should)\w*\s*[({]|\bassertThat|@Test\(expected|\bshouldBe\b",
        marks=r"@(?:Disabled|Ignore)\w*|Assume\.|assumeTrue|enabled\s*=\s*false",
        hollow=r"assertTrue\(true\)|assertEquals\((\w+), ?\1\)",
        imports=r"^\s*(?:import|package)\b",
    ),
    _row(
        ".cs .fs .vb",
        r"\[(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod)\b[^\]]{0,500}\]\s*+(?:\[[^\]]{0,500}\]\s*+){0,20}"
        r"(?:(?:public|private|internal|static|async|virtual)\s+)*[\w<>\[\]]+\s+(?P<name>\w+)\s*\(",
        group=r"\bclass (?P<name>\w+)",
        asserting=r"\bAssert\.\w+|\.Should\(|\.Verify\(|\bExpect\w*\(",
        marks=r"Skip\s*=|\[Ignore|\[Explicit|Assert\.(?:Ignore|Inconclusive|Pass)",
        hollow=r"Assert\.True\(true\)|Assert\.Equal\((\w+), ?\1\)",
        imports=r"^\s*(?:using|namespace)\b",
    ),
    _row(
        ".php",
        r"function (?P<name>test\w*)\s*\(|(?:#\[Test\]|@test\b[^{]*?)\s*(?:public )?function (?P<name2>\w+)\s*\(|^[ \t]*(?:it|test)\(\s*"
        r"(?P<quote>['\"])(?P<name3>(?:\\.|(?!(?P=quote)).)*)(?P=quote)",
        group=r"\bclass (?P<name>\w+)",
        asserting=r"(?:->|::)(?:assert|expect|fail|should)\w*\(|\bexpect\(|\bassert\w*\(",
        marks=r"markTest(?:Skipped|Incomplete)|->skip\(|->todo\(|@group skip",
        hollow=r"assertTrue\(true\)|assertSame\((\S+), ?\1\)",
        imports=r"^\s*(?:use|namespace|require|require_once|include)\b|^<\?php",
    ),
    _row(
        ".c .cc .cpp .cxx .h .hpp",
        r"^[ \t]*(?:TEST|TEST_F|TEST_P|TYPED_TEST|START_TEST|BOOST_AUTO_TEST_CASE|TEST_CASE|SCENARIO|Test)\s*\(\s*(?P<name>[^)\n]+?)\s*\)"
        r"|^(?:static )?void (?P<name2>test_\w+)\s*\(",
        group=r"TEST_SUITE\(\"(?P<name>[^\"]+)\"",
        asserting=r"\b(?:EXPECT|ASSERT|REQUIRE|CHECK|BOOST_(?:CHECK|REQUIRE|TEST)|CU_ASSERT|TEST_ASSERT|ck_assert|assert|cr_assert|FAIL)\w*\s*\(",
        marks=r"GTEST_SKIP|DISABLED_|doctest::skip|\[!shouldfail\]|\[!mayfail\]|TEST_IGNORE|skip\(\)",
        hollow=r"(?:EXPECT|ASSERT)_TRUE\(true\)|(?:CHECK|REQUIRE)\(true\)|(?:EXPECT|ASSERT)_EQ\((\w+), ?\1\)",
        imports=r"^\s*#\s*include\b|^\s*using\b",
    ),
    _row(
        ".swift",
        r"func (?P<name>test\w*)\s*\(|@Test\b(?:\((?:[^()\"]|\"(?:\\.|[^\"\\\n])*\"|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\))?"
        r"(?:\s+(?:@\w+(?:\([^()]*\))?|public|package|internal|private|fileprivate|static|final|nonisolated|mutating))*\s+func (?P<name2>`[^`]+`|\w+)",
        group=r"\b(?:class|struct|enum|actor|extension) (?P<name>[\w.]+)",
        asserting=r"\bXCTAssert\w*\(|\bXCTFail|#expect|#require|XCTUnwrap|Issue\.record|\bconfirmation\(|\bfulfillment\(|\bwaitForExpectations\(",
        marks=r"XCTSkip|\.disabled|\.enabled\(|XCTExpectFailure|withKnownIssue|Test\.cancel\(",
        hollow=r"XCTAssertTrue\(true\)|XCTAssert\(true\)|#expect\(true\)",
        imports=r"^\s*(?:@testable )?import\b",
    ),
    _row(
        ".rb",
        r"^[ \t]*(?:def (?P<name>test_\w+)|x?(?:it|specify|test|example)\s*\(?\s*(?P<quote>['\"])(?P<name2>(?:\\.|(?!(?P=quote)).)*)(?P=quote))",
        group=r"^[ \t]*(?:class (?P<name>[\w:]+)|(?:RSpec\.)?(?:x|f)?(?:describe|context)\b\s*\(?\s*['\"]?(?P<name2>[^'\"\n]+?)['\"]?\s*(?:,|do))",
        asserting=r"\bassert\w*|\brefute\w*|\bexpect\b|\.should\b|\bmust_\w+|\bflunk\b|is_expected",
        marks=r"^\s*(?:skip|pending|omit)\b|^\s*x(?:it|describe|context|specify)\b|skip:\s*true|,\s*:skip|:focus|^\s*f(?:it|describe|context)\b",
        hollow=r"expect\(true\)\.to (?:be true|eq\(?true)|^\s*assert true$|assert_equal (\w+), \1$",
        imports=r"^\s*(?:require|require_relative|load|include)\b",
        blocks="indent",
        comment="#",
    ),
    _row(
        ".exs .ex",
        r"^[ \t]*(?:test|property)\s+\"(?P<name>[^\"]*)\"",
        group=r"^[ \t]*(?:defmodule (?P<name>[\w.]+)|describe \"(?P<name2>[^\"]*)\")",
        asserting=r"\bassert\w*|\brefute\w*|\bflunk\b",
        marks=r"@tag :?skip|@moduletag :?skip|@tag :pending",
        hollow=r"^\s*assert true$",
        imports=r"^\s*(?:use|import|alias|require)\b",
        blocks="indent",
        comment="#",
    ),
    _row(
        ".lua",
        r"^[ \t]*(?:it|test)\(\s*" + _QUOTED + r"|function (?:\w+[:.])?(?P<name2>test\w+)",
        group=r"^[ \t]*(?:describe|context)\(\s*" + _QUOTED,
        asserting=r"\bassert\w*[.(]|\blu\.\w+\(|\bluaunit\.\w+\(",
        marks=r"\bpending\(|lu\.skip|\bxit\(",
        hollow=r"assert\.is_true\(true\)|assert\(true\)",
        imports=r"\brequire\b",
        blocks="indent",
        comment="--",
    ),
    _row(
        ".t",
        r"^(?=(?P<call>subtest|ok|is|isnt|like|unlike|is_deeply|cmp_ok|cmp_deeply|can_ok|isa_ok|throws_ok|dies_ok|lives_ok)\b)"
        r"(?:subtest[\s(]+" + _QUOTED.replace("quote", "quote2").replace("<name>", "<name2>") + r"\s*(?:=>|,)"
        r"|(?=[^\n]*[,\s(]" + _QUOTED + r"\s*\)?\s*;[ \t]*$))",
        asserting=r"\b(?:ok|is|isnt|like|unlike|is_deeply|cmp_ok|cmp_deeply|can_ok|isa_ok|throws_ok|dies_ok|lives_ok|fail)\b",
        marks=r"^\s*(?:SKIP|TODO):|\b(?:skip_all|plan skip|todo_skip)\b|\$TODO\b|^\s*skip\b",
        hollow=r"\bok\(?\s*1\b|\bpass\b|\bis(?:_deeply)?[\s(]\s*(\$?\w+)\s*,\s*\1\s*[,;)]",
        imports=r"^\s*(?:use|require|no)\b",
        blocks="statement",
        comment="#",
    ),
    _row(
        ".bats",
        r"^@test ['\"](?P<name>.*)['\"] *\{",
        asserting=r"^\s*(?:\[|test |assert\w*|refute\w*|run |!|grep|diff|cmp|\(\()|\|\| (?:false|return 1)",
        marks=r"^\s*skip\b|bats:focus",
        hollow=r"^\s*true$",
        imports=r"^\s*(?:load|source|bats_load_library|bats_require)\b",
        comment="#",
    ),
)  # fmt: skip

_BY_SUFFIX = {suffix: row for row in ROWS for suffix in row.suffixes}


def row_for(path: str) -> SourceRow | None:
    """The row for a file's name; None for a language that has none."""
    name = path.rsplit("/", 1)[-1]
    return _BY_SUFFIX.get(name[name.rfind(".") :]) if "." in name else None
