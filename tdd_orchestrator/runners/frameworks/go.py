"""go test, gotestsum."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Ask, Framework, Measure, Sample, Select, Signs

_GO_CONFIG = ("**/go.work", "**/.golangci.*", "**/vendor/modules.txt")

_GO_KEYS = (("go.mod", ("replace", "exclude")),)

GO_TEST = Framework(
    name="go-test",
    language="go",
    signs=Signs(files=("**/*_test.go", "go.mod"), words=(r"(?:^|[\s/;&|])go\s+test(?=\s|$)",)),
    command=("go", "test", "./..."),
    test_files=("**/*_test.go",),
    support_files=("**/testdata/**",),
    config_files=_GO_CONFIG,
    config_keys=_GO_KEYS,
    ask=Ask(
        "text",
        argv=("-json",),
        after="test",
        unless=("-json", "--json"),
        env=(("GOFLAGS", "{before} -v -count=1"),),
        env_alone=True,  # other go commands ignore what they do not know
    ),
    select=Select(
        flag=("-run", "^({names})$"),
        leaf=r"\b((?:Test|Example|Fuzz)\w*)",
        env=(("GOFLAGS", "{before} -run=^({names})$"),),
    ),
    measure=Measure("go", env=(("GOFLAGS", "-coverprofile={folder}/cover.out -coverpkg=./..."),)),
    read="go test",
    extra_argv=("-count=1",),
    runner_modules=("testing",),
    stops=("-failfast", "--failfast"),
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
    read="go test",
    runner_modules=("testing",),
    samples=(Sample((("go.mod", "module x\n"),), "gotestsum --format dots -- ./..."),),
    is_test=("a_test.go",),
    not_test=("a.go",),
    weight=2,
)

ROWS = (GO_TEST, GOTESTSUM)
