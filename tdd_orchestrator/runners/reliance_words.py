"""Words that say nothing of a project: keywords, types, assertions, and what each language brings along."""

from __future__ import annotations

import re

ASSERTING = re.compile(
    r"(?i)(?:assert|expect|should|refute|verify|must|flunk|ck_assert|cu_assert|test_assert|boost_(?:check|require|test))"
)
"""How the words begin that assert something."""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EVERYWHERE = words(
    "if else elif elsif for foreach while do done then fi case esac of in is not and or return true false nil null none None"
    " undefined new end begin function func fn fun def sub my local let const var val mut auto void try catch rescue throw raise"
    " async await this self static final public private"
)
_TYPES = "int long short double float bool boolean char byte string String unsigned size_t "
_ROWS = (
    (".js .jsx .ts .tsx .mjs .cjs .mts .cts",
     "Math JSON Object Array String Number Boolean Date Symbol BigInt Map Set RegExp parseInt parseFloat isNaN NaN typeof instanceof"
     " console done jest vi t Promise Error TypeError number string boolean any unknown"),
    (".go", _TYPES + "testing t T len cap append make range map rune uint uint8 int64 float64 strings strconv fmt math sort errors reflect"
     " require check is qt got want"),
    (".rs", "vec format println panic Some Ok Err String Vec as u8 u16 u32 u64 i8 i16 i32 i64 usize isize f32 f64 bool str char"),
    (".java .kt .groovy .scala", _TYPES + "Integer Long Double Boolean Math List Arrays Map Set Optional Objects System throws Exception"
     " fail"),
    (".rb", "eq be be_truthy be_falsey be_nil eql equal match include contain_exactly raise_error puts p lambda proc"),
    (".php", "php parent array count strlen strtoupper strtolower implode explode fail"),
    (".t", "ok isnt like unlike is_deeply cmp_ok subtest pass fail diag note scalar defined ref uc lc ucfirst lcfirst length join split"
     " map grep sort reverse keys values push pop shift abs int sqrt sprintf qw q qq qr undef eq ne lt gt le ge cmp x"),
    (".exs .ex", "do fn Enum String Integer Map List"),
    (".lua", "math table string type pairs ipairs tostring tonumber"),
    (".bats .sh", "run echo printf test status output lines grep wc expr bash n z eq ne lt gt le ge"),
    (".c .cc .cpp .cxx .h .hpp", _TYPES + "CHECK REQUIRE FAIL std strlen strcmp printf"),
    (".swift", "XCTAssertEqual XCTAssertTrue XCTAssertFalse XCTAssert XCTFail XCTUnwrap Int Double String Array Bool"),
    (".cs .fs .vb", _TYPES + "Math List"),
)  # fmt: skip
_OF = {suffix: _EVERYWHERE | words(said) for suffixes, said in _ROWS for suffix in suffixes.split()}


def plain(suffix: str) -> frozenset[str]:
    """The words of the language whose files end so."""
    return _OF.get(suffix, _EVERYWHERE)
