"""Swift (its package manager, Xcode), Nim."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Ask, Framework, Sample, Select, Signs

_SWIFT_TESTS = ("Tests/**/*.swift", "**/*Tests.swift", "**/*Test.swift")

SWIFT = Framework(
    name="swift-test",
    language="swift",
    signs=Signs(files=("Package.swift",), words=(r"(?:^|[\s/;&|])swift\s+(?:\S+\s+)*test(?=\s|$)",)),
    command=("swift", "test"),
    test_files=_SWIFT_TESTS,
    support_files=("Tests/**",),
    config_files=("**/*.xctestplan", "**/*.xcscheme", "Package@swift-*.swift"),
    config_keys=(("Package.swift", ("testTarget", "unsafeFlags")),),
    # XCTest writes its own only with --parallel, Swift Testing always, beside it: all-swift-testing.xml
    ask=Ask(
        "junit",
        argv=("--xunit-output", "{report}/all.xml"),
        file="reports/",
        after="test",
        unless=("--xunit-output",),
        partial=True,
    ),
    select=Select(
        flag=("--filter", r"[./](?:{names})(?:\(|$)"),
        leaf=r"(`[^`]+`|[^\s.:/(`]+)(?:\([^()]*\))?$",
        by_id=True,
    ),
    read="swift test",
    runner_modules=("XCTest", "Testing"),
    samples=(Sample((("Package.swift", ""),)), Sample((), "swift test --parallel")),
    is_test=("Tests/ATests/A.swift",),
    not_test=("Sources/A/A.swift",),
)

XCODEBUILD = Framework(
    name="xcodebuild",
    language="swift",
    signs=Signs(words=(r"(?:^|[\s/;&|])xcodebuild\s+(?:\S+\s+)*test(?:-without-building)?(?=\s|$)",)),
    command=("xcodebuild", "test"),
    test_files=_SWIFT_TESTS,
    support_files=("Tests/**",),
    config_files=("**/*.xctestplan", "**/*.xcscheme", "**/*.pbxproj"),
    config_keys=SWIFT.config_keys,
    read="swift test",
    runner_modules=SWIFT.runner_modules,
    samples=(Sample((), "xcodebuild -scheme App -destination platform=macOS test"),),
    is_test=("AppTests/CartTests.swift",),
    not_test=("App/Cart.swift",),
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
    runner_modules=("unittest",),
    samples=(Sample((("calc.nimble", ""), ("tests/t1.nim", ""))), Sample((), "nimble test -y")),
    is_test=("tests/tcalc.nim",),
    not_test=("src/calc.nim",),
)

ROWS = (
    SWIFT, XCODEBUILD, NIM,
)  # fmt: skip
