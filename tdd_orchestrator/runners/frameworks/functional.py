"""Elixir, Erlang, Haskell, OCaml."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Ask, Framework, Sample, Select, Signs

EXUNIT = Framework(
    name="exunit",
    language="elixir",
    signs=Signs(files=("mix.exs",), words=(r"(?:^|[\s/;&|])mix\s+(?:\S+\s+)*test(?=\s|$)",)),
    command=("mix", "test"),
    test_files=("**/*_test.exs", "test/**/*.exs"),
    support_files=("test/support/**", "test/fixtures/**"),
    config_files=("**/test_helper.exs", "config/**", ".formatter.exs"),
    config_keys=(
        (
            "mix.exs",
            (
                "aliases",
                "elixirc_paths",
                "elixirc_options",
                "erlc_paths",
                "preferred_cli_env",
                "test_paths",
                "test_pattern",
                "test_load_filters",
                "test_ignore_filters",
                "test_coverage",
            ),
        ),
    ),
    ask=Ask("text", argv=("--trace", "--no-color"), after="test", unless=("--trace",)),
    select=Select(files=True),
    runner_modules=("ExUnit",),
    samples=(Sample((("mix.exs", ""), ("test/a_test.exs", ""))), Sample((), "mix test --cover")),
    is_test=("test/a_test.exs", "apps/x/test/x_test.exs"),
    not_test=("lib/a.ex",),
)

_ERLANG_CONFIG = ("**/*.spec", "**/*.coverspec", "**/sys.config")

_ERLANG_KEYS = (
    ("rebar.config", ("eunit_opts", "ct_opts", "profiles", "erl_opts", "alias", "cover_enabled")),
)

EUNIT = Framework(
    name="eunit",
    language="erlang",
    signs=Signs(files=("rebar.config",), words=(r"rebar3?\s+(?:\S+\s+)*eunit\b", r"eunit:test\b")),
    command=("rebar3", "eunit", "-v"),
    test_files=("test/**/*.erl", "**/*_tests.erl"),
    support_files=("test/**",),
    config_files=_ERLANG_CONFIG,
    config_keys=_ERLANG_KEYS,
    runner_modules=("eunit",),
    samples=(
        Sample((("rebar.config", ""), ("test/a_tests.erl", ""))),
        Sample((), "rebar3 do compile, eunit"),
    ),
    is_test=("test/a_tests.erl",),
    not_test=("src/a.erl",),
    weight=1,
)

COMMON_TEST = Framework(
    name="common-test",
    language="erlang",
    signs=Signs(files=("**/*_SUITE.erl",), words=(r"rebar3?\s+(?:\S+\s+)*ct\b", r"(?:^|[\s/;&|])ct_run\b")),
    command=("rebar3", "ct"),
    test_files=("**/*_SUITE.erl", "test/**/*.erl"),
    support_files=("**/*_SUITE_data/**",),
    config_files=_ERLANG_CONFIG,
    config_keys=_ERLANG_KEYS,
    runner_modules=("ct",),
    samples=(Sample((), "rebar3 ct"),),
    is_test=("test/a_SUITE.erl",),
    not_test=("src/a.erl",),
)

_HASKELL_FILES = ("**/*Spec.hs", "**/{test,tests}/**/*.hs")

_HASKELL_CONFIG = ("cabal.project*", "stack.yaml", "**/.hspec", "**/Setup.hs")

_HASKELL_KEYS = (("package.yaml", ("tests",)), ("*.cabal", ("test-suite",)))

HSPEC = Framework(
    name="hspec",
    language="haskell",
    signs=Signs(
        manifests=(("*.cabal", r"\bhspec\b"), ("package.yaml", r"\bhspec\b"),
            ("{test,tests}/**/*.hs", r"import\s+Test\.Hspec")),
        words=(r"(?:cabal|stack)\s+(?:\S+\s+)*test\b",),
    ),
    command=("cabal", "test", "--test-show-details=direct"),
    test_files=_HASKELL_FILES,
    support_files=("**/{test,tests}/**",),
    config_files=_HASKELL_CONFIG,
    config_keys=_HASKELL_KEYS,
    ask=Ask("text", env=(("HSPEC_OPTIONS", "--no-color"),)),

    runner_modules=("Test.Hspec",),
    samples=(Sample((("a.cabal", "build-depends: base, hspec\n"),)), Sample((), "stack test")),
    is_test=("test/ASpec.hs",),
    not_test=("src/A.hs",),
    weight=1,
)  # fmt: skip

TASTY = Framework(
    name="tasty",
    language="haskell",
    signs=Signs(manifests=(("*.cabal", r"\btasty\b"), ("package.yaml", r"\btasty\b"),
                           ("{test,tests}/**/*.hs", r"import\s+Test\.Tasty"))),
    command=("cabal", "test", "--test-show-details=direct"),
    test_files=_HASKELL_FILES,
    support_files=("**/{test,tests}/**",),
    config_files=_HASKELL_CONFIG,
    config_keys=_HASKELL_KEYS,
    runner_modules=("Test.Tasty",),
    samples=(Sample((("a.cabal", "build-depends: base, tasty\n"),)),),
    is_test=("test/A.hs",),
    not_test=("src/A.hs",),
    weight=2,
)  # fmt: skip


def _ocaml(name: str, library: str) -> Framework:
    return Framework(
        name=name,
        language="ocaml",
        signs=Signs(
            manifests=(("**/dune", rf"\b{library}\b"), ("*.opam", rf'"{library}"'),
                ("dune-project", rf"\b{library}\b")),
            words=(r"dune\s+(?:runtest|test)\b",) if name == "alcotest" else (),
        ),
        command=("dune", "test", "--force"),
        test_files=("**/{test,tests}/**/*.ml", "**/test_*.ml", "**/*_test.ml"),
        support_files=("**/{test,tests}/**",),
        config_files=("**/{test,tests}/dune", "dune-workspace"),
        config_keys=(("dune", ("test", "tests")),),
        ask=Ask("text", env=(("ALCOTEST_COLOR", "never"),)),
        samples=(Sample((("test/dune", f"(test (name t) (libraries {library}))"), ("dune-project", ""))),),
        is_test=("test/test_a.ml",),
        not_test=("lib/a.ml",),
        weight=1,
    )  # fmt: skip


OUNIT = _ocaml("ounit", "ounit2")

ALCOTEST = _ocaml("alcotest", "alcotest")

ROWS = (
    EXUNIT, EUNIT, COMMON_TEST, HSPEC, TASTY, OUNIT, ALCOTEST,
)  # fmt: skip
