"""A manifest may change, but not in what testing reads of it: TOML and JSON by keys, XML by elements, code by statements."""

from __future__ import annotations

import time

import pytest
from pace import within

from tdd_orchestrator.runners.table import FRAMEWORKS
from tdd_orchestrator.workspace.manifests import configures

KEYS = {name: keys for row in FRAMEWORKS for name, keys in row.config_keys}
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <!-- mine -->
  <properties><java.version>17</java.version></properties>
  <dependencies><dependency><groupId>a</groupId></dependency></dependencies>
  <build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId></plugin></plugins></build>
</project>
"""
GRADLE = """plugins { id 'java' }

dependencies {
    testImplementation 'junit:junit:4.13' // test
}

test {
    useJUnitPlatform()
}
"""
KTS = GRADLE.replace("'", '"').replace("test {", "tasks.test {")
MIX = 'defmodule K.MixProject do\n  def project do\n    [app: :kata, version: "0.1.0", deps: deps()]\n  end\n\n  defp deps, do: []\nend\n'
SWIFT = (
    'let package = Package(\n  name: "k",\n  targets: [\n    .target(name: "K"),\n'
    '    .testTarget(\n      name: "KTests",\n      dependencies: ["K"]),\n  ]\n)\n'
)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("pom.xml", POM, POM.replace("<properties>", "<properties><skipTests>true</skipTests>")),
        ("pom.xml", POM, POM.replace("<properties>", "<properties><maven.test.skip>true</maven.test.skip>")),
        ("pom.xml", POM, POM.replace("<properties>", "<properties><surefire.includes>A</surefire.includes>")),
        ("pom.xml", POM, POM.replace("<properties>", "<properties><groups>fast</groups>")),
        ("pom.xml", POM, POM.replace("</artifactId></plugin>", "</artifactId><configuration><skip>true</skip></configuration></plugin>")),
        ("pom.xml", POM, POM.replace("</project>", "<profiles><profile/></profiles></project>")),
        ("pom.xml", POM, POM.replace("<build>", "<build><testSourceDirectory>x</testSourceDirectory>")),
        ("pom.xml", POM, POM.replace("<project", '<!DOCTYPE x [<!ENTITY a "b">]><project')),
        ("pom.xml", POM, POM.replace("</project>", "")),
        ("build.gradle", GRADLE, GRADLE.replace("useJUnitPlatform()", "useJUnitPlatform()\n    ignoreFailures = true")),
        ("build.gradle", GRADLE, GRADLE + "test.enabled = false\n"),
        ("build.gradle", GRADLE, GRADLE + "tasks.withType(Test) { exclude '**/A*' }\n"),
        ("build.gradle", GRADLE, GRADLE + "afterEvaluate { println 1 }\n"),
        ("build.gradle", GRADLE, GRADLE + "gradle.taskGraph.whenReady { it.allTasks.each { t -> t.enabled = false } }\n"),
        ("build.gradle.kts", KTS, KTS.replace("useJUnitPlatform()", "enabled = false")),
        ("build.gradle.kts", KTS, KTS + 'tasks.named<Test>("test") { enabled = false }\n'),
        ("build.gradle", GRADLE, GRADLE + 'println "${test.enabled = false}"\n'),
        ("build.gradle", GRADLE, GRADLE + 'def a = /"/ ; test.enabled = false ; def b = /"/\n'),
        ("build.gradle", GRADLE, GRADLE + 'def a = $/"/$ ; test.enabled = false ; def b = $/"/$\n'),
        ("build.gradle", GRADLE, GRADLE + "def a = '''\n/*\n'''\ntest.enabled = false\ndef b = '''\n*/\n'''\n"),
        ("build.gradle", GRADLE, GRADLE + "this.'test'.enabled = false\n"),
        ("build.gradle", GRADLE, GRADLE + "getTasks().withType(Test) { enabled = false }\n"),
        ("build.gradle", GRADLE, GRADLE + "println 1/test.run()\n"),
        ("build.gradle", GRADLE, GRADLE + "compileTestJava { exclude '**/A*' }\n"),
        ("build.gradle.kts", KTS, KTS + 'val a = "${tasks.named("test") { enabled = false }}"\n'),
        ("build.gradle.kts", KTS, KTS + 'val a = """\\"""\ntasks.test { enabled = false }\nval b = """\\"""\n'),
        ("mix.exs", MIX, MIX + '"#{[test_paths: []]}"\n'),
        ("mix.exs", MIX, MIX + 'x = ?"; [test_paths: []]; y = ?"\n'),
        ("mix.exs", MIX, MIX + 'x = ~s("); [test_paths: []]; y = ~s(")\n'),
        ("Package.swift", SWIFT, SWIFT + 'let a = #"\\"#; let t = [Target.testTarget(name: "")]; let b = ""\n'),
        ("mix.exs", MIX, MIX.replace('"0.1.0"', '"0.1.0", test_pattern: "greet*"')),
        ("Package.swift", SWIFT, SWIFT.replace('["K"]', '["K"], exclude: ["A.swift"]')),
    ],
)  # fmt: skip
def test_what_testing_reads_may_not_change(name: str, before: str, after: str) -> None:
    assert before != after
    assert configures(name, before, after, KEYS[name])


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("pom.xml", POM, POM.replace("<groupId>a", "<groupId>b")),
        ("pom.xml", POM, POM.replace("<!-- mine -->", "").replace("  <build>", "\n\n    <build>")),
        ("pom.xml", POM, POM.replace("<properties>", "<properties><jackson.version>2</jackson.version>")),
        ("build.gradle", GRADLE, GRADLE.replace("dependencies {", "dependencies {\n    implementation 'org.test:test:1'")),
        ("build.gradle", GRADLE, GRADLE.replace(" // test", " // a test of ours {")),
        ("build.gradle", GRADLE, GRADLE.replace("4.13", "4.12")),
        ("build.gradle", GRADLE, GRADLE + "ext { v = '1' }\ndescription = \"\"\"a test\n{ of \"ours\"\"\"\"\n// see: /etc\n"),
        ("build.gradle", GRADLE, GRADLE.replace("dependencies {", 'dependencies {\n    implementation "a:test:${v}"')),
        ("build.gradle.kts", KTS, KTS.replace("dependencies {", 'dependencies {\n    implementation("a:b:1")')),
        ("mix.exs", MIX, MIX.replace("do: []", 'do: [{:jason, "~> 1.4"}]')),
        ("Package.swift", SWIFT, SWIFT.replace('.target(name: "K")', '.target(name: "K", dependencies: ["L"])')),
    ],
)  # fmt: skip
def test_the_rest_may(name: str, before: str, after: str) -> None:
    assert before != after
    assert configures(name, before, after, KEYS[name]) == ""


@pytest.mark.parametrize(
    "flood",
    [
        "test { " * 20_000,
        "test\n" * 50_000,
        "test\n" * 20_000 + ")" * 100_000,
        '"${' * 50_000,
        "/* " * 100_000,
        "test }" * 50_000,
    ],
    ids=["open", "lines", "closed", "strings", "comments", "one line"],
)
def test_a_flood_is_read_in_no_time(flood: str) -> None:
    begun = time.process_time()
    assert configures("build.gradle", flood, flood, KEYS["build.gradle"]) == ""
    assert time.process_time() - begun < within(10)


@pytest.mark.parametrize("odd", ["<a>1</a><a.>2</a.>", "<a.>1</a.><a..b>2</a..b>", "<a..>1</a..><a>2</a>"])
def test_odd_names_of_properties(odd: str) -> None:
    pom = POM.replace("<properties>", f"<properties>{odd}")
    assert configures("pom.xml", POM, pom, KEYS["pom.xml"]) == ""
    tests = odd.replace("a", "skipTests")
    assert configures("pom.xml", POM, POM.replace("<properties>", f"<properties>{tests}"), KEYS["pom.xml"])
