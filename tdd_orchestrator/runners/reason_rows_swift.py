"""RED's reasons in Swift: messages of swiftc, XCTest and Swift Testing."""

from __future__ import annotations

from tdd_orchestrator.model.report import Reason
from tdd_orchestrator.runners.reason_row import ReasonRow, row

R = Reason

# Any type may be extended, so a missing member of a built-in type may be the project's.
ROWS: tuple[ReasonRow, ...] = (
    row(
        "swift",
        (
            r"\A(?:XCT\w+ failed\b|failed(?: - |$)|Expectation failed\b|Issue recorded\b"
            "|Confirmation was confirmed )"
        ),
        R.ASSERTION,
        'XCTAssertEqual failed: ("4") is not equal to ("5")',
        "asserted",
    ),
    row(
        "swift",
        r"\A(?:Time limit was exceeded|Asynchronous wait failed)",
        R.TIMEOUT,
        "Time limit was exceeded: 60.000 seconds",
    ),
    row(
        "swift",
        r"\A(?:expected |extraneous '|consecutive |unterminated |unbalanced |invalid character "
        r"|keyword '\w+' cannot be used|statements are not allowed"
        r"|to match this opening|found an unexpected)",
        R.SYNTAX,
        "expected ',' separator",
        build=True,
    ),
    row("swift", r"\Ano such module '([^']+)'", R.MISSING_SYMBOL, "no such module 'Shop'", "module", True),
    row(
        "swift",
        r"\Amodule '([^']+)' has no member named ",
        R.MISSING_SYMBOL,
        "module 'Kata' has no member named 'triple'",
        "module",
        True,
    ),
    row(
        "swift",
        (
            r"\Acannot find '(?:XCT\w+|expect|require)' in scope"
            r"|\A(?:no macro named|expansion of macro) "
        ),
        R.EXCEPTION,
        "cannot find 'XCTAssertEquals' in scope",
        build=True,
    ),
    row(
        "swift",
        r"\Acannot find (?:type |operator )?'([^']+)' in scope",
        R.MISSING_SYMBOL,
        "cannot find 'triple' in scope",
        "module",
        True,
    ),
    row(
        "swift",
        r"\A(?:value of (?:\w+ )?type"
        r"|(?:\w+ )?type) '.{0,300}' has no (?:\w+ )?(?:member"
        "|subscripts)"
        r"|\A'[^']+' is not a member type of"
        r"|\Acannot call value of non-function type",
        R.MISSING_SYMBOL,
        "value of type 'Money' has no member 'currency'",
        build=True,
    ),
    row(
        "swift",
        (
            " to conform to '| requires that '[^']+' (?:conform to|inherit from|be a class) "
            r"|does not conform to (?:protocol|expected type) '|\Abinary operator '[^']+' cannot be applied"
        ),
        R.MISSING_SYMBOL,
        ("global function 'XCTAssertEqual(_:_:_:file:line:)' requires that 'Money' conform to 'Equatable'"),
        build=True,
    ),
    row(
        "swift",
        r"\A(?:extra(?:neous)? arguments? |missing arguments? |incorrect argument labels? "
        "|argument passed to call that takes no arguments|no exact matches in call)"
        r"|\binaccessible due to '",
        R.MISSING_SYMBOL,
        "extra argument 'by' in call",
        build=True,
    ),
    # consequences of a missing name
    row(
        "swift",
        r"\A(?:cannot infer contextual base|reference to member '\w+' cannot be resolved)",
        R.MISSING_SYMBOL,
        "cannot infer contextual base in reference to member 'empty'",
        build=True,
    ),
    row(
        "swift",
        r"\bnot (?:yet )?implemented\b",
        R.MISSING_SYMBOL,
        "Kata/Kata.swift:4: Fatal error: not implemented",
        "stub",
    ),
    row("swift", r"\S", R.EXCEPTION, "cannot convert value of type 'Int' to specified type 'String'"),
)
