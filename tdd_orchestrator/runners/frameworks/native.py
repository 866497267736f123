"""Swift, Nim."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Ask, Control, Framework, Sample, Select, Signs

SWIFT = Framework(
    name="swift-test",
    language="swift",
    signs=Signs(
        files=("Package.swift",), words=(r"(?:^|[\s/;&|])(?:swift|xcodebuild)\s+(?:\S+\s+)*test(?=\s|$)",)
    ),
    command=("swift", "test"),
    test_files=("Tests/**/*.swift", "**/*Tests.swift", "**/*Test.swift"),
    support_files=("Tests/**",),
    config_files=("**/*.xctestplan", "**/*.xcscheme"),
    config_keys=(("Package.swift", ("testTarget", "unsafeFlags")),),
    ask=Ask("junit", argv=("--xunit-output", "{report}"), after="test", unless=("--xunit-output",)),
    select=Select(flag=("--filter", "{names}")),
    controls=(
        Control(
            ("**/*.swift",),
            "{Word}Tests.swift",
            "import XCTest\n\nfinal class {Word}Tests: XCTestCase {\n    func test{Word}() {\n"
            "        XCTAssertEqual({left}, {right})\n    }\n}\n",
            leaf="test{Word}",
        ),
    ),
    filters=("--filter", "--skip"),
    read="swift test",
    runner_modules=("XCTest", "Testing"),
    samples=(Sample((("Package.swift", ""),)), Sample((), "swift test --parallel")),
    is_test=("Tests/ATests/A.swift",),
    not_test=("Sources/A/A.swift",),
)

NIM = Framework(
    name="nim-unittest",
    language="nim",
    signs=Signs(files=("*.nimble",), words=(r"nimble\s+test\b", r"nim\s+(?:c|cpp)\s.*-r\s", r"testament\b")),
    command=("nimble", "test"),
    test_files=("tests/**/*.nim", "**/t*_test.nim", "**/test*.nim"),
    support_files=("tests/**",),
    config_files=("**/*.nims", "**/nim.cfg", "**/config.nims"),
    config_keys=(("*.nimble", ("task",)),),
    controls=(
        Control(
            ("tests/*.nim",),
            "t{word}.nim",
            'import unittest\n\ntest "{word}":\n  check {left} == {right}\n',
        ),
    ),
    read="nim-unittest",
    runner_modules=("unittest",),
    samples=(Sample((("calc.nimble", ""), ("tests/t1.nim", ""))), Sample((), "nimble test -y")),
    is_test=("tests/tcalc.nim",),
    not_test=("src/calc.nim",),
)

ROWS = (
    SWIFT,
    NIM,
)
