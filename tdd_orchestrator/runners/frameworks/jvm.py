"""JVM: Maven, Gradle, the JUnit console."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Ask, Framework, Sample, Select, Signs

_JVM = "{java,kt,groovy,scala}"

_JVM_FILES = (
    f"**/src/{{test,integrationTest,it,androidTest,testFixtures}}/**/*.{_JVM}",
    f"**/*{{Test,Tests,TestCase,IT,Spec}}.{_JVM}",
)  # fmt: skip

_JVM_SUPPORT = ("**/src/test/**", "**/src/integrationTest/**")


_CLASS = r"(\w+)(?:[.#:]+|\s*>\s*)\w+(?:\([^)]*\))?(?:\[.*)?$"


MAVEN = Framework(
    name="maven-surefire",
    language="java",
    signs=Signs(
        files=("pom.xml",),
        words=(r"(?:^|[\s/;&|])mvnw?(?:\.cmd)?\s+(?:\S+\s+)*(?:test|verify|package|install|surefire:test)\b",
            ),
    ),
    command=("mvn", "-q", "-B", "test"),
    test_files=_JVM_FILES,
    support_files=_JVM_SUPPORT,
    config_files=("**/.mvn/**", "**/testng*.xml", "**/junit-platform.properties", "mvnw", "mvnw.cmd"),
    config_keys=(("pom.xml", ("build", "profiles", "reporting", "modules", "parent", "properties.skip*",
                "properties.test*",
                              "properties.maven.test", "properties.surefire", "properties.failsafe",
                              "properties.it",
                              "properties.groups", "properties.excludedGroups", "properties.argLine")),),
    ask=Ask("junit", argv=("-fae", "-Dsurefire.skipAfterFailureCount=0", "-Dstyle.color=never"),
            collect=("**/target/surefire-reports/TEST-*.xml", "**/target/failsafe-reports/TEST-*.xml")),
    select=Select(flag=("-Dtest={names}", "-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false"),
                  join=",", regex=False, leaf=_CLASS),


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

_GRADLE_KEYS = (
    "test", "tasks", "getTasks", "getTasksByName", "sourceSets", "getSourceSets", "compileTestJava",
    "compileTestKotlin", "processTestResources", "plugins", "allprojects", "subprojects", "configure",
    "jacoco", "gradle", "getGradle", "afterEvaluate", "buildscript", "apply",
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
    config_files=("**/gradle.properties", "**/gradle/wrapper/**", "gradlew", "gradlew.bat",
        "**/settings.gradle*",
                  "**/junit-platform.properties", "**/buildSrc/**", "**/init.gradle*"),
    config_keys=tuple((name, _GRADLE_KEYS) for name in ("build.gradle", "build.gradle.kts")),
    ask=Ask("junit", collect=("**/build/test-results/**/TEST-*.xml",)),
    select=Select(flag=("--tests", "*{names}*"), each=True, regex=False, leaf=_CLASS),


    extra_argv=("--continue", "--console=plain", "--no-build-cache", "--no-daemon"),
    # a daemon would outlive the run
    runner_modules=("org.junit", "junit", "org.testng"),
    samples=(Sample((("build.gradle.kts", ""),)), Sample((), "./gradlew :core:test --info")),
    is_test=("src/test/java/x/ATest.java",),
    not_test=("src/main/java/x/A.java",),
    weight=2,
)  # fmt: skip

JUNIT_CONSOLE = Framework(
    name="junit5",
    language="java",
    signs=Signs(
        words=(r"junit-platform-console", r"org\.junit\.runner\.JUnitCore", r"org\.junit\.platform\.console")
    ),
    command=("java", "-jar", "junit-platform-console-standalone.jar", "execute", "--scan-classpath"),
    test_files=_JVM_FILES,
    support_files=_JVM_SUPPORT,
    config_files=("**/junit-platform.properties",),
    ask=Ask("junit", argv=("--reports-dir", "{report}"), file="reports/", unless=("--reports-dir",)),
    runner_modules=("org.junit", "junit"),
    samples=(
        Sample(
            (), "java -jar lib/junit-platform-console-standalone-1.10.jar execute -cp out --scan-classpath"
        ),
    ),
    is_test=("test/ATest.java",),
    not_test=("src/A.java",),
    weight=3,
)

ROWS = (
    MAVEN, GRADLE, JUNIT_CONSOLE,
)  # fmt: skip
