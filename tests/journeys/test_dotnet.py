"""Whole cycles with dotnet test: two test projects in one solution, of xUnit and NUnit, built for real."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from kit import Kata

FEED = os.environ.get("TDD_DOTNET_FEED", "")
"""A folder of NuGet packages: Microsoft.NET.Test.Sdk, xunit, NUnit and their adapters; without it NuGet's own place."""

_CODE = """\
namespace Shop
{
    public static class Maths
    {
        public static int Double(int number) => %s;
    }
}
"""
_XUNIT = """\
using Xunit;

namespace Shop.Tests
{
    public class MathsTests
    {
        [Theory(DisplayName = "doubles (any) number, at once")]
        [InlineData(2, 4)]
        [InlineData(3, 6)]
        public void Doubles(int number, int wanted) => Assert.Equal(wanted, Maths.Double(number));
    }
}
"""
_OLD = (
    "using Xunit;\n\npublic class OldTests\n{\n    [Fact]\n    public void Old() => Assert.True(true);\n}\n"
)
_NUNIT = "using NUnit.Framework;\n\npublic class ApiTests\n{\n    [Test]\n    public void Answers() => Assert.Pass();\n\n    [Test, Explicit]\n    public void Asked() => Assert.Fail();\n}\n"
_PACKAGES = {
    "Shop.Tests": (("xunit", "2.4.1"), ("xunit.runner.visualstudio", "2.4.2")),
    "Api.Tests": (("NUnit", "3.12.0"), ("NUnit3TestAdapter", "3.17.0")),
}


def _dotnet(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(("dotnet", *words), cwd=folder, capture_output=True, text=True, check=False)


def _project(target: str, packages: tuple[tuple[str, str], ...] = ()) -> str:
    some = [f'<PackageReference Include="{name}" Version="{version}" />' for name, version in packages]
    some += ['<ProjectReference Include="../Shop/Shop.csproj" />'] if packages else []
    return (
        f'<Project Sdk="Microsoft.NET.Sdk">\n  <PropertyGroup><TargetFramework>{target}</TargetFramework></PropertyGroup>\n'
        f"  <ItemGroup>{''.join(some)}</ItemGroup>\n</Project>\n"
    )


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    if shutil.which("dotnet") is None:
        pytest.skip("dotnet is not installed")
    major = _dotnet(tmp_path, "--version").stdout.split(".")[0]
    target = "netcoreapp3.1" if major == "3" else f"net{major}.0"
    kata = Kata(tmp_path, existing=False)
    kata.write(".gitignore", "bin/\nobj/\n")
    if FEED:
        source = f'<packageSources><clear /><add key="here" value="{FEED}" /></packageSources>'
        kata.write("nuget.config", f"<configuration>{source}</configuration>\n")
    kata.write("Shop/Shop.csproj", _project(target))
    kata.write("Shop/Maths.cs", _CODE % "number")
    for name, packages in _PACKAGES.items():
        kata.write(
            f"{name}/{name}.csproj", _project(target, (("Microsoft.NET.Test.Sdk", "16.11.0"), *packages))
        )
    kata.write("Shop.Tests/OldTests.cs", _OLD)
    kata.write("Api.Tests/ApiTests.cs", _NUNIT)
    _dotnet(kata.root, "new", "sln", "-n", "Kata")
    _dotnet(kata.root, "sln", "add", "Shop", *_PACKAGES)
    restored = _dotnet(kata.root, "restore")
    if restored.returncode:
        pytest.skip(f"the packages cannot be had here: {restored.stdout.strip()[:200]}")
    text = (kata.root / "tdd.toml").read_text().splitlines()
    text[1] = f"command = {json.dumps(['dotnet', 'test'])}"
    kata.write("tdd.toml", "\n".join(text) + "\n")
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "chore: set up")
    kata.plan()
    return kata


@pytest.mark.slow
def test_a_theory_with_a_name_of_its_own_beside_another_project(kata: Kata) -> None:
    wrong, right = (f"write('Shop/Maths.cs', {_CODE % body!r})" for body in ("number + 3", "number * 2"))
    kata.script(red=[f"write('Shop.Tests/MathsTests.cs', {_XUNIT!r})"], green=[wrong, right])
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts() == ["proven", "partly_failing", "proven", "unchanged"]
    runs = [record["tests"] for record in kata.records("handoff") if record["phase"] != "REFACTOR"]
    assert [run["exit_code"] for run in runs] == [1, 0]
    assert runs[1]["counts"]["passed"] == 4


@pytest.mark.slow
def test_code_that_prints_a_summary_and_ends_the_host_is_not_accepted(kata: Kata) -> None:
    said = "Passed!  - Failed:     0, Passed:     4, Skipped:     0, Total:     4, Duration: 1 s - Shop.Tests.dll (net8.0)"
    cheat = f'System.Console.WriteLine("{said}"); System.Environment.Exit(0);'
    false = _CODE.replace("=> %s;", "{ %s return number; }") % cheat
    green = [f"write('Shop/Maths.cs', {text!r})" for text in (false, _CODE % "number * 2")]
    kata.script(red=[f"write('Shop.Tests/MathsTests.cs', {_XUNIT!r})"], green=green)
    done = kata.next()
    assert done.code == 0, done.err
    said_of_green = kata.verdicts()[1:-1]
    assert said_of_green[0] == "crashed"
    assert said_of_green.count("proven") == 1
    assert said_of_green[-1] == "proven"
