""".NET: xUnit, NUnit and MSTest through dotnet test."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Ask, Framework, Sample, Select, Signs

_CS = "{cs,fs,vb}"
_PROJECTS = f"**/*.{_CS}proj"
# a test project, by any name and in any language
_OF_TESTS = (
    r'"(?i:Microsoft\.NET\.Test\.Sdk|xunit\.v3|TUnit)"|Sdk="MSTest\.Sdk|<(?:IsTestProject'
    r"|IsTestingPlatformApplication)>\s*(?i:true)"
)

DOTNET = Framework(
    name="dotnet",
    language="csharp",
    signs=Signs(
        files=(_PROJECTS, f"**/*{{Test,Tests}}.{_CS}proj"),  # a solution alone may be one of C++
        manifests=((_PROJECTS, _OF_TESTS),),
        words=(r"(?:^|[\s/;&|])dotnet\s+(?:test|vstest)(?=\s|$)",),
    ),
    command=("dotnet", "test"),
    test_files=(f"**/*{{Test,Tests,Spec,Specs}}.{_CS}", f"**/*{{Test,Tests}}/**/*.{_CS}"),
    support_files=("**/*{Test,Tests}/**",),
    config_files=("**/*.runsettings", "**/xunit.runner.json", "**/Directory.Build.*", "**/nuget.config",
                  f"**/*{{Test,Tests}}.{_CS}proj", "global.json"),
    config_marks=((_PROJECTS, _OF_TESTS),),
    # every project of a solution writes its own report: with one name, the last would replace the others
    ask=Ask("trx", argv=("--logger", "trx", "--results-directory", "{report}"),
            after="test", file="reports/", unless=("--results-directory", "vstest")),
    select=Select(flag=("--filter", "FullyQualifiedName~{names}"), join="|FullyQualifiedName~", regex=False,
                  leaf=r"([\w.+]+)(?:\(.*)?$", by_id=True),


    read="dotnet test",
    runner_modules=("Xunit", "NUnit"),
    samples=(Sample((("A.Tests/A.Tests.csproj", ""), ("A.Tests/ATests.cs", ""))),
        Sample((), "dotnet test --no-build"),
             Sample((("A.Checks/A.Checks.fsproj", '<PackageReference Include="Microsoft.NET.Test.Sdk" />'),
                     ))),
    is_test=("A.Tests/Helper.cs", "src/StackTests.cs"),
    not_test=("src/Stack.cs",),
)  # fmt: skip

ROWS = (DOTNET,)
