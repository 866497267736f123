"""Go, Rust, C and C++, Swift, Nim."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Ask, Control, Framework, Sample, Select, Signs

_GO_CONTROL = Control(
    ("**/*_test.go",),
    "{word}_test.go",
    '{package}\n\nimport "testing"\n\nfunc Test{Word}(t *testing.T) {\n\tif got, want := {left}, {right}; got != want {\n'
    '\t\tt.Errorf("got %d, want %d", got, want)\n\t}\n}\n',
    package=r"^(package\s+\w+)",
    leaf="Test{Word}",
)
_GO_CONFIG = ("**/go.work", "**/.golangci.*", "**/vendor/modules.txt")
_GO_KEYS = (("go.mod", ("replace", "exclude", "toolchain", "go")),)

GO_TEST = Framework(
    name="go-test",
    language="go",
    signs=Signs(files=("**/*_test.go", "go.mod"), words=(r"(?:^|[\s/;&|])go\s+test(?=\s|$)",)),
    command=("go", "test", "./..."),
    test_files=("**/*_test.go",),
    support_files=("**/testdata/**",),
    config_files=_GO_CONFIG,
    config_keys=_GO_KEYS,
    ask=Ask("text", argv=("-json",), after="test", unless=("-json", "--json")),
    select=Select(flag=("-run", "^({names})$"), leaf=r"\b((?:Test|Example|Fuzz)\w*)"),
    controls=(_GO_CONTROL,),
    filters=("-run", "--run", "-skip", "-list"),
    read="go test",
    extra_argv=("-count=1",),
    runner_modules=("testing",),
    samples=(
        Sample((("go.mod", "module x\n"), ("a_test.go", "package x\n"))),
        Sample((), "go test -race ./..."),
        Sample((("Makefile", "test: build\n\tgo test ./...\nbuild:\n\tgo build\n"),), "make test"),
    ),
    is_test=("a_test.go", "internal/x/x_test.go"),
    not_test=("a.go", "test.go"),
    weight=1,
)

GOTESTSUM = Framework(
    name="gotestsum",
    language="go",
    signs=Signs(words=(r"(?:^|[\s/;&|])gotestsum(?:@\S+)?(?=\s|$)",)),
    command=("gotestsum",),
    test_files=("**/*_test.go",),
    support_files=("**/testdata/**",),
    config_files=_GO_CONFIG,
    config_keys=_GO_KEYS,
    ask=Ask("junit", argv=("--junitfile", "{report}"), after="gotestsum", unless=("--junitfile",)),
    controls=(_GO_CONTROL,),
    filters=("-run",),
    read="go test",
    runner_modules=("testing",),
    samples=(Sample((("go.mod", "module x\n"),), "gotestsum --format dots -- ./..."),),
    is_test=("a_test.go",),
    not_test=("a.go",),
    weight=2,
)

_RUST_FILES = (
    "**/tests/**/*.rs",
    "**/*_test.rs",
    "**/*_tests.rs",
    "**/test_*.rs",
    "**/tests.rs",
    "**/benches/**",
)
_RUST_CONFIG = ("**/.cargo/config*", "**/build.rs", "rust-toolchain*", "**/nextest.toml", "clippy.toml")
_RUST_KEYS = (
    ("Cargo.toml", ("test", "bench", "lib", "bin", "profile", "patch", "replace", "features", "workspace",
                    "package.autotests", "package.build", "package.edition", "lints")),
)  # fmt: skip
_RUST_CONTROLS = (
    Control(("**/tests/*.rs",), "{word}.rs", "#[test]\nfn {word}() {\n    assert_eq!({left}, {right});\n}\n"),
    Control(
        ("**/src/**/*.rs", "src/**/*.rs"),
        "{word}.rs",
        "#[test]\nfn {word}() {\n    assert_eq!({left}, {right});\n}\n",
        into="tests",
    ),
)
_RUST_LEAF = r"(?:^|\s)((?:\w+::)*\w+)$"

CARGO_TEST = Framework(
    name="cargo-test",
    language="rust",
    signs=Signs(
        files=("Cargo.toml",), words=(r"(?:^|[\s/;&|])cargo\s+(?:\+\S+\s+)?(?:-\S+\s+)*(?:test|t)(?=\s|$)",)
    ),
    command=("cargo", "test"),
    test_files=_RUST_FILES,
    support_files=("**/tests/**", "**/testdata/**"),
    config_files=_RUST_CONFIG,
    config_keys=_RUST_KEYS,
    select=Select(flag=("--", "{each}"), regex=False, leaf=_RUST_LEAF),
    controls=_RUST_CONTROLS,
    filters=("--skip", "--exact", "--lib", "--bins", "--bin", "--doc", "--test", "--example"),
    read="cargo test",
    extra_argv=("--no-fail-fast",),
    runner_modules=("test", "std", "core"),
    samples=(
        Sample((("Cargo.toml", '[package]\nname = "x"\n'), ("src/lib.rs", ""))),
        Sample((), "cargo +nightly test --workspace"),
    ),
    is_test=("tests/a.rs", "src/stack/tests.rs"),
    not_test=("src/lib.rs", "src/latest.rs"),
    weight=1,
)

NEXTEST = Framework(
    name="nextest",
    language="rust",
    signs=Signs(
        files=(".config/nextest.toml",), words=(r"cargo\s+nextest\s+(?:run|r)\b", r"cargo-nextest\b")
    ),
    command=("cargo", "nextest", "run"),
    test_files=_RUST_FILES,
    support_files=("**/tests/**", "**/testdata/**"),
    config_files=_RUST_CONFIG,
    config_keys=_RUST_KEYS,
    select=Select(flag=("{each}",), regex=False, leaf=_RUST_LEAF),
    controls=_RUST_CONTROLS,
    filters=("-E", "--filterset", "--lib", "--bins", "--test", "--partition"),
    read="cargo test",
    extra_argv=("--no-fail-fast",),
    runner_modules=("test", "std", "core"),
    samples=(
        Sample((), "cargo nextest run --all"),
        Sample(((".config/nextest.toml", ""), ("Cargo.toml", ""))),
    ),
    is_test=("tests/a.rs",),
    not_test=("src/a.rs",),
    weight=2,
)

_C = "{c,cc,cpp,cxx,C}"
_C_FILES = (
    f"**/{{test,tests,unittest,unittests}}/**/*.{_C}", f"**/*_{{test,tests,unittest}}.{_C}", f"**/test_*.{_C}",
    f"**/*Test.{_C}", f"**/tests.{_C}", f"**/check_*.{_C}",
)  # fmt: skip
_C_SUPPORT = ("**/{test,tests}/**", "**/testdata/**")
_C_CONFIG = ("**/CTestTestfile.cmake", "**/CTestConfig.cmake", "**/CMakePresets.json", "**/meson_options.txt",
             "**/Makefile", "**/GNUmakefile", "**/Makefile.am", "**/configure*")  # fmt: skip
_C_KEYS = (
    ("CMakeLists.txt", ("enable_testing", "add_test", "gtest_discover_tests", "catch_discover_tests",
                        "set_tests_properties", "include", "CMAKE_CXX_FLAGS", "CMAKE_C_FLAGS")),
    ("meson.build", ("test", "benchmark", "project")),
)  # fmt: skip


def _c_row(
    name: str, signs: Signs, command: tuple[str, ...], samples: tuple[Sample, ...], *, ask: Ask | None = None,
    select: Select | None = None, filters: tuple[str, ...] = (), extra: tuple[str, ...] = (), weight: int = 2, read: str = "",
) -> Framework:  # fmt: skip
    """Where tests are listed in a build file, no control can be planted beside them."""
    return Framework(
        name=name,
        language="c",
        signs=signs,
        command=command,
        test_files=_C_FILES,
        support_files=_C_SUPPORT,
        config_files=_C_CONFIG,
        config_keys=_C_KEYS,
        ask=ask or Ask("text"),
        select=select,
        filters=filters,
        read=read or name,
        extra_argv=extra,
        samples=samples,
        is_test=("tests/a.cpp", "src/a_test.cc", "test_a.c"),
        not_test=("src/a.cpp", "src/a.c"),
        weight=weight,
    )


def _includes(header: str) -> tuple[tuple[str, str], ...]:
    return (
        (f"{{test,tests,src}}/**/*.{_C}", rf"#\s*include\s*[<\"]{header}"),
        (f"*.{_C}", rf"#\s*include\s*[<\"]{header}"),
    )


CTEST = _c_row(
    "ctest",
    Signs(
        files=("CTestTestfile.cmake",),
        manifests=(("CMakeLists.txt", r"enable_testing\s*\(|include\s*\(\s*CTest"),),
        words=(r"(?:^|[\s/;&|])ctest(?=\s|$)", r"cmake\s+--build\s.*--target\s+test\b"),
    ),
    ("ctest", "--test-dir", "build", "--output-on-failure"),
    (
        Sample((("CMakeLists.txt", "enable_testing()\n"),)),
        Sample((), "ctest --test-dir build"),
        Sample((("Makefile", "check:\n\tcmake --build b && ctest --test-dir b\n"),), "make check"),
    ),
    ask=Ask(
        "junit",
        argv=("--output-junit", "{report}"),
        after="ctest",
        unless=("--output-junit", "--build-and-test"),
    ),
    select=Select(flag=("-R", "^({names})$")),
    filters=("-R", "--tests-regex", "-E", "-L", "-LE", "--rerun-failed"),
    extra=("--no-tests=error",),
    weight=3,
)
GTEST = _c_row(
    "gtest",
    Signs(manifests=_includes("gtest/gtest.h"), words=(r"--gtest_\w+",)),
    ("./build/tests",),
    (Sample((("tests/a.cpp", "#include <gtest/gtest.h>\n"),)), Sample((), "./build/unit --gtest_color=no")),
    ask=Ask("junit", env=(("GTEST_OUTPUT", "xml:{report}/"), ("GTEST_COLOR", "no")), file="reports/"),
    select=Select(flag=("--gtest_filter={names}",), join=":", regex=False),
    filters=("--gtest_filter", "--gtest_list_tests"),
    read="googletest",
)
CATCH2 = _c_row(
    "catch2",
    Signs(manifests=_includes("catch2?[/_.]"), words=()),
    ("./build/tests",),
    (Sample((("tests/a.cpp", "#include <catch2/catch_test_macros.hpp>\n"),)),),
)
DOCTEST = _c_row(
    "doctest",
    Signs(manifests=_includes("doctest(?:/doctest)?\\.h")),
    ("./build/tests",),
    (Sample((("tests/a.cpp", '#include "doctest.h"\n'),)),),
    read="doctest (C++)",
)
BOOST = _c_row(
    "boost",
    Signs(manifests=_includes("boost/test/"), words=(r"--run_test=|--log_level=test_suite",)),
    ("./build/tests",),
    (Sample((("tests/a.cpp", "#include <boost/test/unit_test.hpp>\n"),)),),
    ask=Ask("text", env=(("BOOST_TEST_REPORT_LEVEL", "detailed"), ("BOOST_TEST_COLOR_OUTPUT", "no"))),
    read="boost.test",
)
CHECK = _c_row(
    "check",
    Signs(manifests=_includes("check\\.h")),
    ("make", "check"),
    (Sample((("tests/a.c", "#include <check.h>\n"),)),),
    ask=Ask("text", env=(("CK_VERBOSITY", "verbose"),)),
)
CMOCKA = _c_row(
    "cmocka",
    Signs(manifests=_includes("cmocka\\.h")),
    ("make", "test"),
    (Sample((("tests/a.c", "#include <cmocka.h>\n"),)),),
)
CUNIT = _c_row(
    "cunit",
    Signs(manifests=_includes("CUnit/")),
    ("make", "test"),
    (Sample((("tests/a.c", "#include <CUnit/Basic.h>\n"),)),),
)
MESON = _c_row(
    "meson",
    Signs(files=("meson.build",), words=(r"meson\s+test\b", r"ninja\s+(?:-\S+\s+\S+\s+)*test\b")),
    ("meson", "test", "-C", "build"),
    (Sample((("meson.build", "test('a', exe)\n"),)), Sample((), "meson test -C build")),
    ask=Ask("junit", collect=("**/meson-logs/testlog.junit.xml",)),
    extra=("--print-errorlogs",),
    weight=3,
)
DEJAGNU = _c_row(
    "dejagnu",
    Signs(files=("testsuite/**/*.exp",), words=(r"(?:^|[\s/;&|])runtest(?=\s|$)",)),
    ("runtest",),
    (Sample((), "runtest --tool calc"), Sample((("testsuite/calc.test/a.exp", ""),))),
)

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
    GO_TEST, GOTESTSUM, CARGO_TEST, NEXTEST, CTEST, GTEST, CATCH2, DOCTEST, BOOST, CHECK, CMOCKA, CUNIT, MESON, DEJAGNU,
    SWIFT, NIM,
)  # fmt: skip
