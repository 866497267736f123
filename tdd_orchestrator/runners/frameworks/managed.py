"""JVM, .NET, Ruby, PHP: Maven, Gradle, the JUnit console, dotnet test, RSpec, Minitest, test-unit, PHPUnit, Pest."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Ask, Control, Framework, Sample, Select, Signs

_JVM = "{java,kt,groovy,scala}"
_JVM_FILES = (
    f"**/src/{{test,integrationTest,it,androidTest,testFixtures}}/**/*.{_JVM}", f"**/*{{Test,Tests,TestCase,IT,Spec}}.{_JVM}",
)  # fmt: skip
_JVM_SUPPORT = ("**/src/test/**", "**/src/integrationTest/**")
_JAVA_BODY = "    @Test\n    {access}void test{Word}() {\n        assertEquals({left}, {right});\n    }\n}\n"
_JUNIT5 = Control(
    ("**/*.java",),
    "{Word}Test.java",
    "{package}\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\nimport org.junit.jupiter.api.Test;\n\n"
    "class {Word}Test {\n" + _JAVA_BODY.replace("{access}", ""),
    package=r"^(package\s+[\w.]+\s*;)",
    needs=r"org\.junit\.jupiter",
    leaf="{Word}Test",
)
_JUNIT4 = Control(
    ("**/*.java",),
    "{Word}Test.java",
    "{package}\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\n"
    "public class {Word}Test {\n" + _JAVA_BODY.replace("{access}", "public "),
    package=r"^(package\s+[\w.]+\s*;)",
    needs=r"import\s+(?:static\s+)?org\.junit\.(?!jupiter)",
    leaf="{Word}Test",
)
_TESTNG = Control(
    ("**/*.java",),
    "{Word}Test.java",
    "{package}\n\nimport static org.testng.Assert.assertEquals;\n\nimport org.testng.annotations.Test;\n\n"
    "public class {Word}Test {\n" + _JAVA_BODY.replace("{access}", "public "),
    package=r"^(package\s+[\w.]+\s*;)",
    needs=r"org\.testng",
    leaf="{Word}Test",
)
_KOTLIN = Control(
    ("**/*.kt",),
    "{Word}Test.kt",
    "{package}\n\nimport org.junit.jupiter.api.Assertions.assertEquals\nimport org.junit.jupiter.api.Test\n\n"
    "class {Word}Test {\n    @Test\n    fun test{Word}() {\n        assertEquals({left}, {right})\n    }\n}\n",
    package=r"^(package\s+[\w.]+)",
    needs=r"org\.junit\.jupiter",
    leaf="{Word}Test",
)
_CLASS = r"(\w+)(?:[.#:]+|\s*>\s*)\w+(?:\([^)]*\))?(?:\[.*)?$"
_JVM_CONTROLS = (_JUNIT5, _JUNIT4, _TESTNG, _KOTLIN)

MAVEN = Framework(
    name="maven-surefire",
    language="java",
    signs=Signs(
        files=("pom.xml",),
        words=(r"(?:^|[\s/;&|])mvnw?(?:\.cmd)?\s+(?:\S+\s+)*(?:test|verify|package|install|surefire:test)\b",),
    ),
    command=("mvn", "-q", "-B", "test"),
    test_files=_JVM_FILES,
    support_files=_JVM_SUPPORT,
    config_files=("**/.mvn/**", "**/testng*.xml", "**/junit-platform.properties", "mvnw", "mvnw.cmd"),
    config_keys=(("pom.xml", ("build", "profiles", "properties", "reporting", "modules", "parent")),),
    ask=Ask("junit", argv=("-fae", "-Dsurefire.skipAfterFailureCount=0", "-Dstyle.color=never"),
            collect=("**/target/surefire-reports/TEST-*.xml", "**/target/failsafe-reports/TEST-*.xml")),
    select=Select(flag=("-Dtest={names}", "-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false"),
                  join=",", regex=False, leaf=_CLASS),
    controls=_JVM_CONTROLS,
    filters=("-Dtest", "-Dit.test", "-Dgroups"),
    read="maven",
    runner_modules=("org.junit", "junit", "org.testng"),
    samples=(
        Sample((("pom.xml", "<project/>"), ("src/test/java/ATest.java", ""))),
        Sample((), "./mvnw -B verify"),
    ),
    is_test=("src/test/java/x/ATest.java", "core/src/test/kotlin/A.kt"),
    not_test=("src/main/java/x/A.java", "src/main/java/x/Latest.java"),
    weight=2,
)  # fmt: skip

GRADLE = Framework(
    name="gradle",
    language="java",
    signs=Signs(
        files=("build.gradle", "build.gradle.kts"),
        words=(r"(?:^|[\s/;&|])gradlew?(?:\.bat)?\s+(?:\S+\s+)*:?(?:[\w:-]*[tT]est|check|build)\b",),
    ),
    command=("./gradlew", "test"),
    test_files=_JVM_FILES,
    support_files=_JVM_SUPPORT,
    config_files=("**/gradle.properties", "**/gradle/wrapper/**", "gradlew", "gradlew.bat", "**/settings.gradle*",
                  "**/junit-platform.properties", "**/buildSrc/**", "**/init.gradle*"),
    config_keys=(("build.gradle", ("test", "tasks", "sourceSets", "plugins", "allprojects", "subprojects", "jacoco")),
                 ("build.gradle.kts", ("test", "tasks", "sourceSets", "plugins", "allprojects", "subprojects"))),
    ask=Ask("junit", collect=("**/build/test-results/**/TEST-*.xml",)),
    select=Select(flag=("--tests", "*{names}*"), each=True, regex=False, leaf=_CLASS),
    controls=_JVM_CONTROLS,
    filters=("--tests",),
    read="gradle",
    extra_argv=("--continue", "--console=plain", "--no-build-cache"),
    runner_modules=("org.junit", "junit", "org.testng"),
    samples=(Sample((("build.gradle.kts", ""),)), Sample((), "./gradlew :core:test --info")),
    is_test=("src/test/java/x/ATest.java",),
    not_test=("src/main/java/x/A.java",),
    weight=2,
)  # fmt: skip

JUNIT_CONSOLE = Framework(
    name="junit5",
    language="java",
    signs=Signs(words=(r"junit-platform-console", r"org\.junit\.runner\.JUnitCore",
                       r"org\.junit\.platform\.console")),
    command=("java", "-jar", "junit-platform-console-standalone.jar", "execute", "--scan-classpath"),
    test_files=_JVM_FILES,
    support_files=_JVM_SUPPORT,
    config_files=("**/junit-platform.properties",),
    ask=Ask("junit", argv=("--reports-dir", "{report}"), file="reports/", unless=("--reports-dir",)),
    filters=("-c", "-m", "-p", "--select-class", "--select-method", "--include-tag"),
    read="junit5",
    runner_modules=("org.junit", "junit"),
    samples=(Sample((), "java -jar lib/junit-platform-console-standalone-1.10.jar execute -cp out --scan-classpath"),),
    is_test=("test/ATest.java",),
    not_test=("src/A.java",),
    weight=3,
)  # fmt: skip

_CS = "{cs,fs,vb}"
DOTNET = Framework(
    name="dotnet",
    language="csharp",
    signs=Signs(
        files=("*.sln", "*.slnx", "**/*Tests.csproj", "**/*.Tests.csproj", "**/*Test.csproj"),
        words=(r"(?:^|[\s/;&|])dotnet\s+(?:test|vstest)(?=\s|$)",),
    ),
    command=("dotnet", "test"),
    test_files=(f"**/*{{Test,Tests,Spec,Specs}}.{_CS}", f"**/*{{Test,Tests}}/**/*.{_CS}"),
    support_files=("**/*{Test,Tests}/**",),
    config_files=("**/*.runsettings", "**/xunit.runner.json", "**/Directory.Build.*", "**/nuget.config",
                  "**/*Tests.csproj", "**/*Test.csproj", "global.json"),
    ask=Ask("trx", argv=("--logger", "trx;LogFileName=report.trx", "--results-directory", "{folder}"),
            after="test", file="report.trx", unless=("--results-directory",)),
    select=Select(flag=("--filter", "FullyQualifiedName~{names}"), join="|FullyQualifiedName~", regex=False,
                  leaf=r"([\w.+]+)(?:\(.*)?$"),
    controls=(
        Control(("**/*.cs",), "{Word}Tests.cs", "using Xunit;\n\n{package}\n\npublic class {Word}Tests\n{\n    [Fact]\n"
                "    public void {Word}() => Assert.Equal({left}, {right});\n}\n", needs=r"using Xunit|\[Fact\]",
                package=r"^(namespace\s+[\w.]+\s*;)", leaf="{Word}"),
        Control(("**/*.cs",), "{Word}Tests.cs", "using NUnit.Framework;\n\n{package}\n\npublic class {Word}Tests\n{\n"
                "    [Test]\n    public void {Word}() => Assert.That({left}, Is.EqualTo({right}));\n}\n",
                needs=r"NUnit|\[Test\]", package=r"^(namespace\s+[\w.]+\s*;)", leaf="{Word}"),
    ),
    filters=("--filter", "--list-tests", "-t"),
    read="dotnet test",
    runner_modules=("Xunit", "NUnit"),
    samples=(Sample((("a.sln", ""), ("A.Tests/ATests.cs", ""))), Sample((), "dotnet test --no-build")),
    is_test=("A.Tests/Helper.cs", "src/StackTests.cs"),
    not_test=("src/Stack.cs",),
)  # fmt: skip

_RUBY_SUPPORT = ("**/{spec,test}/{support,fixtures,factories}/**", "**/spec_helper.rb", "**/test_helper.rb")
_RUBY_CONFIG = (".rspec", ".rspec-local", "**/spec_helper.rb", "**/rails_helper.rb", "**/test_helper.rb", "Rakefile",
                ".simplecov", ".ruby-version", "bin/{rails,rake,rspec}")  # fmt: skip

RSPEC = Framework(
    name="rspec",
    language="ruby",
    signs=Signs(
        files=(".rspec", "spec/**/*_spec.rb"),
        manifests=(("Gemfile", r"['\"]rspec(?:-\w+)?['\"]"), ("*.gemspec", r"['\"]rspec['\"]")),
        words=(r"(?:^|[\s/;&|])rspec(?=\s|$)", r"rake\s+spec\b"),
    ),
    command=("bundle", "exec", "rspec"),
    test_files=("**/*_spec.rb", "spec/**/*.rb"),
    support_files=_RUBY_SUPPORT,
    config_files=_RUBY_CONFIG,
    ask=Ask("json", argv=("--format", "progress", "--format", "json", "--out", "{report}"), file="report.json",
            unless=("--out", "-o")),
    select=Select(files=True, flag=("-e", "{names}"), each=True, regex=False),
    controls=(
        Control(("**/*_spec.rb",), "{word}_spec.rb",
                'RSpec.describe "{word}" do\n  it "{word}" do\n    expect({left}).to eq({right})\n  end\nend\n'),
    ),
    filters=("-e", "--example", "-t", "--tag", "--only-failures", "-n", "--next-failure"),
    read="rspec",
    extra_argv=("--no-fail-fast",),
    runner_modules=("rspec", "rspec/core", "rspec/expectations"),
    samples=(Sample((("spec/a_spec.rb", ""), (".rspec", ""))), Sample((), "bundle exec rspec spec/a_spec.rb")),
    is_test=("spec/a_spec.rb", "spec/models/b_spec.rb"),
    not_test=("lib/a.rb",),
    weight=2,
)  # fmt: skip

MINITEST = Framework(
    name="minitest",
    language="ruby",
    signs=Signs(
        files=("test/**/*_test.rb", "test/**/test_*.rb"),
        manifests=(("Gemfile", r"['\"]minitest['\"]|['\"]rails['\"]"),
                   ("{test,tests}/**/*.rb", r"minitest|Minitest|ActiveSupport::TestCase")),
        words=(r"(?:^|[\s/;&|])(?:rails|rake)\s+test\b", r"ruby\s+(?:-\S+\s+)*\S*test\S*\.rb",
               r"(?:^|[\s/;&|])minitest(?=\s|$)"),
    ),
    command=("bundle", "exec", "rake", "test"),
    test_files=("**/*_test.rb", "**/test_*.rb", "test/**/*.rb"),
    support_files=_RUBY_SUPPORT,
    config_files=_RUBY_CONFIG,
    ask=Ask("text", env=(("TESTOPTS", "--verbose"),)),
    controls=(
        Control(("**/*_test.rb",), "{word}_test.rb", 'require "minitest/autorun"\n\nclass {Word}Test < Minitest::Test\n'
                "  def test_{word}\n    assert_equal {left}, {right}\n  end\nend\n", needs=r"[Mm]initest|test_helper"),
        Control(("**/test_*.rb",), "test_{word}.rb", 'require "minitest/autorun"\n\nclass {Word}Test < Minitest::Test\n'
                "  def test_{word}\n    assert_equal {left}, {right}\n  end\nend\n", needs=r"[Mm]initest|test_helper"),
    ),
    filters=("-n", "--name", "TEST", "TESTOPTS"),
    read="minitest",
    runner_modules=("minitest",),
    samples=(Sample((("test/a_test.rb", 'require "minitest/autorun"\n'),)), Sample((), "bin/rails test")),
    is_test=("test/a_test.rb", "test/test_a.rb"),
    not_test=("lib/a.rb",),
    weight=2,
)  # fmt: skip

TEST_UNIT = Framework(
    name="test-unit",
    language="ruby",
    signs=Signs(manifests=(("Gemfile", r"['\"]test-unit['\"]"), ("{test,tests}/**/*.rb", r"test/unit|Test::Unit")),
                words=(r"(?:^|[\s/;&|])test-unit(?=\s|$)",)),
    command=("bundle", "exec", "rake", "test"),
    test_files=MINITEST.test_files,
    support_files=_RUBY_SUPPORT,
    config_files=_RUBY_CONFIG,
    ask=Ask("text", env=(("TESTOPTS", "--verbose=verbose"),)),
    controls=(
        Control(("**/*_test.rb",), "{word}_test.rb", 'require "test/unit"\n\nclass {Word}Test < Test::Unit::TestCase\n'
                "  def test_{word}\n    assert_equal({left}, {right})\n  end\nend\n"),
        Control(("**/test_*.rb",), "test_{word}.rb", 'require "test/unit"\n\nclass {Word}Test < Test::Unit::TestCase\n'
                "  def test_{word}\n    assert_equal({left}, {right})\n  end\nend\n"),
    ),
    filters=("-n", "--name"),
    read="test-unit",
    runner_modules=("test/unit", "test"),
    samples=(Sample((("test/test_a.rb", 'require "test/unit"\n'),)),),
    is_test=("test/test_a.rb",),
    not_test=("lib/a.rb",),
    weight=3,
)  # fmt: skip

_PHP_CONFIG = (
    "phpunit.xml",
    "phpunit.xml.dist",
    "phpunit.dist.xml",
    "**/bootstrap.php",
    "**/Pest.php",
    ".env.testing",
)
_PHP_KEYS = (("composer.json", ("scripts", "autoload-dev", "config", "extra")),)
_PHP_CONTROL = Control(
    ("**/*Test.php",),
    "{Word}Test.php",
    "<?php\n\n{package}\n\nfinal class {Word}Test extends \\PHPUnit\\Framework\\TestCase\n{\n"
    "    public function test{Word}(): void\n    {\n        $this->assertSame({left}, {right});\n    }\n}\n",
    package=r"^(namespace\s+[^;{]+;)",
    leaf="{Word}",
)

PHPUNIT = Framework(
    name="phpunit",
    language="php",
    signs=Signs(
        files=("phpunit.xml", "phpunit.xml.dist", "tests/**/*Test.php"),
        manifests=(("composer.json", r'"phpunit/phpunit"'),),
        words=(r"(?:^|[\s/;&|])(?:phpunit|paratest|simple-phpunit)(?:\.phar)?(?=\s|$)",),
    ),
    command=("vendor/bin/phpunit",),
    test_files=("**/*Test.php", "tests/**/*.php"),
    support_files=("tests/**",),
    config_files=_PHP_CONFIG,
    config_keys=_PHP_KEYS,
    ask=Ask("junit", argv=("--log-junit", "{report}"), unless=("--log-junit",)),
    select=Select(flag=("--filter", "/({names})/"), leaf=r"(\w+)(?: with data set .*)?$"),
    controls=(_PHP_CONTROL,),
    filters=("--filter", "--group", "--exclude-group", "--testsuite"),
    read="phpunit",
    extra_argv=("--do-not-cache-result", "--colors=never"),
    runner_modules=("PHPUnit",),
    samples=(Sample((("composer.json", '{"require-dev": {"phpunit/phpunit": "^10"}}'), ("tests/ATest.php", ""))),
             Sample((), "php vendor/bin/phpunit tests")),
    is_test=("tests/ATest.php", "src/FooTest.php"),
    not_test=("src/Foo.php",),
    weight=2,
)  # fmt: skip

PEST = Framework(
    name="pest",
    language="php",
    signs=Signs(
        files=("tests/Pest.php",),
        manifests=(("composer.json", r'"pestphp/pest"'),),
        words=(r"(?:^|[\s/;&|])pest(?=\s|$)",),
    ),
    command=("vendor/bin/pest",),
    test_files=PHPUNIT.test_files,
    support_files=("tests/**",),
    config_files=_PHP_CONFIG,
    config_keys=_PHP_KEYS,
    ask=Ask("junit", argv=("--log-junit", "{report}"), unless=("--log-junit",)),
    select=Select(flag=("--filter", "{names}"), leaf=r"(?:.*(?:::|→|>) ?)?(.*)$"),
    controls=(
        Control(("**/*Test.php",), "{Word}Test.php",
                "<?php\n\ntest('{word}', function () {\n    expect({left})->toBe({right});\n});\n"),
    ),
    filters=("--filter", "--group", "--exclude-group", "--testsuite", "--dirty"),
    read="pest",
    runner_modules=("Pest", "PHPUnit"),
    samples=(Sample((("tests/Pest.php", ""), ("tests/Feature/ATest.php", ""))), Sample((), "./vendor/bin/pest")),
    is_test=("tests/Feature/ATest.php",),
    not_test=("app/A.php",),
    weight=3,
)  # fmt: skip

ROWS = (MAVEN, GRADLE, JUNIT_CONSOLE, DOTNET, RSPEC, MINITEST, TEST_UNIT, PHPUNIT, PEST)
