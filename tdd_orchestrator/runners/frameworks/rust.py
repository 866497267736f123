"""cargo test, nextest."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Framework, Measure, Sample, Select, Signs

_RUST_FILES = (
    "**/tests/**/*.rs", "**/*_test.rs", "**/*_tests.rs", "**/test_*.rs", "**/tests.rs", "**/benches/**",
)  # fmt: skip

_RUST_CONFIG = ("**/.cargo/config*", "**/build.rs", "rust-toolchain*", "**/nextest.toml", "clippy.toml")

_RUST_KEYS = (
    ("Cargo.toml", ("test", "bench", "lib", "bin", "profile", "patch", "replace", "features", "workspace",
                    "package.autotests", "package.build", "package.edition", "lints")),
)  # fmt: skip


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
    measure=Measure(
        "lcov",
        argv=("llvm-cov", "--lcov", "--output-path", "{folder}/lcov.info"),
        after="cargo",
        needs="cargo-llvm-cov (cargo install cargo-llvm-cov)",
    ),
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

ROWS = (CARGO_TEST, NEXTEST)
