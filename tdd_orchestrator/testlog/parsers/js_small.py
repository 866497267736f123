"""Read small JavaScript runners and reporters: Japa, poku, tap, TAP formatters, Jasmine's packages."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.tabled import Form, tabled, unnamed
from tdd_orchestrator.testlog.reading import TextRow, signs, whole

_JAPA_END = (
    r"Tests {2}(?:(?P<passed>\d{1,9}) passed|(?=\S))?(?:(?:, )?(?P<failed>\d{1,9}) failed)?"
    r"(?:(?:, )?(?P<xfailed>\d{1,9}) regressions?)?(?:(?:, )?(?P<skipped>\d{1,9}) skipped)?"
    r"(?:(?:, )?\d{1,9} todo)? \((?P<total>\d{1,9})\)"
)
_POKU_END = (
    r" ?PASS › (?P<passed>\d{1,9}) {1,3}FAIL › (?P<failed>\d{1,9})(?: {1,3}SKIP › (?P<skipped>\d{1,9}))?"
)
_TAP_END = (
    r"# \{ total: (?P<total>\d{1,9}), pass: (?P<passed>\d{1,9})(?:, fail: (?P<failed>\d{1,9}))?"
    r"(?:, (?:skip|todo): (?P<skipped>\d{1,9}))?(?:, todo: \d{1,9})? \}"
)
_JASMINE_SPECS = (
    r"Executed \d{1,9} of (?P<total>\d{1,9}) specs?(?: SUCCESS"
    r"| INCOMPLETE)?(?: \((?P<failed>\d{1,9}) FAILED\))?"
    r"(?: \((?P<skipped>\d{1,9}) PENDING\))?(?: \(\d{1,9} SKIPPED\))? in \S.*"
)
_JASMINE_TERMINAL = (
    r"(?:SUCCESS|FAILURE): (?P<total>\d{1,9}) specs?, (?P<failed>\d{1,9}) failures?, "
    r"(?P<skipped>\d{1,9}) skipped, "
    r"\d{1,9} disabled in \S.*"
)

ROWS = (
    TextRow(
        "japa",
        "javascript",
        tabled(
            Form(
                work=r" {2,8}[✔✖●] \S.* \(\d[\d.]*m?s\)|[✔✖◼●]+| ERRORS",
                red=r" {2}❯ (?:default / )?(?P<name>\S.*)",
                broken=r" {3}at \(syntax error\) .*",
                ends=_JAPA_END,
            )
        ),
        signs(
            rf"^{unnamed(_JAPA_END)}$", r"^ {2}❯ default / \S", r"^ Time {2}\d", r"^ {3}at \(syntax error\) "
        ),
        weight=2,
    ),
    TextRow(
        "poku",
        "javascript",
        tabled(
            Form(
                work=r"(?:›|◌) \S.*| {2}[◌●] \S.*",
                counts=r"(?P<passed>\d{1,9}) test file\(s\) passed|(?P<failed>\d{1,9}) test file\(s\) failed",
                red=r"\d{1,9}\) (?P<name>\S+\.[cm]?[jt]sx?)(?: › \S.*)?",
                ends=rf"{_POKU_END}|Finished in ±\S+ seconds",
            )
        ),
        signs(
            rf"^{unnamed(_POKU_END)}",
            r"^Start at  ›  \d",
            r"^Duration  ›  \d",
            r"^\d+ test file\(s\) (?:passed|failed)",
            r"^Finished in ±",
        ),
        ("poku",),
        weight=2,
    ),
    TextRow(
        "node-tap",
        "javascript",
        tabled(
            Form(
                work=r"Asserts: {2}\d.*| FAIL {2}\S.*",
                counts=r"Suites: {3}\d{1,9} pass {2}(?:0|(?P<bad>\d{1,9})) fail {2}.*",
                red=r"✖ (?P<name>\S.*)",
                ends=_TAP_END,
                again=True,
            )
        ),
        signs(
            r"^Asserts: {2}\d+ pass {2}\d+ fail ",
            r"^Suites: {3}\d+ pass {2}\d+ fail ",
            rf"^{unnamed(_TAP_END)}$",
        ),
        weight=2,
        whole=whole(broken=r"Suites: {3}\d{1,9} pass {2}[1-9]\d{0,8} fail {2}"),
    ),
    TextRow(
        "tap-spec",
        "javascript",
        tabled(
            Form(
                work=r" {4}[✔✖] \S.*",
                counts=(
                    r"  total: +(?P<total>\d{1,9})|  passing: +(?P<passed>\d{1,9})"
                    r"|  failing: +(?P<failed>\d{1,9})"
                ),
                red=r" {2,6}✖ (?P<name>\S.*)",
                none=r" {2}✖ No tests found",
                ends=r"  duration: {2}\S+",
            )
        ),
        signs(
            r"^  total: {4,5}\d+$",
            r"^  passing: {2,3}\d+$",
            r"^  failing: {2,3}\d+$",
            r"^  duration: {2}\d\S*$",
            r"^ {2}✖ No tests found$",
        ),
        ("tap-spec",),
        weight=3,
    ),
    TextRow(
        "tap-dot",
        "javascript",
        tabled(
            Form(
                work=r" {2}[.x]+",
                counts=(
                    r"  (?P<total>\d{1,9}) tests?|  (?P<passed>\d{1,9}) passed"
                    r"|  (?P<failed>\d{1,9}) failed"
                ),
                ends=r"  (?:Pass!|Failed Tests: .*)",
            )
        ),
        signs(r"^  \d+ tests?$", r"^  \d+ passed$", r"^  (?:Pass!|Failed Tests: +There (?:was|were) \d)"),
        ("tap-dot",),
        weight=2,
    ),
    TextRow(
        "tap-difflet",
        "javascript",
        tabled(
            Form(
                work=r" {4}✓ \S.*",
                counts=r"(?P<failed>\d{1,9}) failing",
                red=r" {4}⨯ (?P<name>\S.*)",
                ends=r"(?P<passed>\d{1,9}) passing \(\d+ms\)",
            )
        ),
        signs(r"^\d{1,9} passing \(\d+ms\)$", r"^ {4}⨯ \S", r"^ {4}✓ \S"),
        ("tap-difflet",),
        weight=2,
    ),
    TextRow(
        "tap-summary",
        "javascript",
        tabled(
            Form(
                work=r"# (?:Tests|Summary)",
                counts=r"pass: (?P<passed>\d{1,9})|assertions: (?P<total>\d{1,9})",
                red=r" {2}✖ (?P<name>\S.*)",
                ends=r"fail: (?P<failed>\d{1,9})",
                after=True,
            )
        ),
        signs(
            r"^planned: \d+$",
            r"^assertions: \d+$",
            r"^fail: \d+$",
            r"^[✔✖] .{1,300} \[pass: \d+, fail: \d+, duration: ",
        ),
        ("tap-summary",),
        weight=2,
    ),
    TextRow(
        "jasmine-terminal",
        "javascript",
        tabled(Form(ends=_JASMINE_TERMINAL)),
        signs(rf"^{unnamed(_JASMINE_TERMINAL)}$"),
        weight=4,
    ),
    TextRow(
        "jasmine-spec-reporter",
        "javascript",
        tabled(
            Form(
                work=r"Jasmine started",
                red=r" {2,60}✗ (?P<name>\S.*)",
                ends=_JASMINE_SPECS,
            )
        ),
        signs(r"^Jasmine started$", rf"^{unnamed(_JASMINE_SPECS)}$", rf"^{unnamed(_JASMINE_TERMINAL)}$"),
        ("jasmine",),
        weight=4,
    ),
)
