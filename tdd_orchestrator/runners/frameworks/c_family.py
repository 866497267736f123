"""C and C++: CTest, GoogleTest, Catch2, doctest, Boost.Test, Check, cmocka, CUnit, Meson, DejaGnu."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Ask, Framework, Sample, Select, Signs

_C = "{c,cc,cpp,cxx,C}"

_C_FILES = (
    f"**/{{test,tests,unittest,unittests}}/**/*.{_C}", f"**/*_{{test,tests,unittest}}.{_C}",
    f"**/test_*.{_C}",
    f"**/*Test.{_C}", f"**/tests.{_C}", f"**/check_*.{_C}",
)  # fmt: skip

_C_SUPPORT = ("**/{test,tests}/**", "**/testdata/**")

_C_CONFIG = ("**/CTestTestfile.cmake", "**/CTestConfig.cmake", "**/CMakePresets.json", "**/meson_options.txt",
             "**/Makefile", "**/GNUmakefile", "**/Makefile.am", "**/configure*")  # fmt: skip

_C_KEYS = (
    ("CMakeLists.txt", ("enable_testing", "add_test", "gtest_discover_tests", "catch_discover_tests",
                        "set_tests_properties")),
    ("meson.build", ("test", "benchmark")),
)  # fmt: skip


def _c_row(
    name: str, signs: Signs, command: tuple[str, ...], samples: tuple[Sample, ...], *, ask: Ask | None = None,
    select: Select | None = None, extra: tuple[str, ...] = (), weight: int = 2, read: str = "",
) -> Framework:  # fmt: skip
    """Return a row for tests listed in a build file."""
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
        read=read,
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
        words=(r"(?:^|[\s/;&|])ctest(?=\s|$)",),
    ),
    ("sh", "-c", "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"),
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
    Signs(files=("meson.build",), words=(r"meson\s+test\b",)),
    ("sh", "-c", "meson setup build && meson test -C build"),
    (Sample((("meson.build", "test('a', exe)\n"),)), Sample((), "meson test -C build")),
    ask=Ask("junit", collect=("**/meson-logs/testlog.junit.xml",)),
    extra=("--print-errorlogs",),
    weight=3,
)

DEJAGNU = _c_row(
    "dejagnu",
    Signs(files=("testsuite/**/*.exp",), words=(r"(?:^|[/;&|]\s*)runtest(?=\s|$)",)),
    ("runtest",),
    (Sample((), "runtest --tool calc"), Sample((("testsuite/calc.test/a.exp", ""),))),
)

ROWS = (
    CTEST, GTEST, CATCH2, DOCTEST, BOOST, CHECK, CMOCKA, CUNIT, MESON, DEJAGNU,
)  # fmt: skip
