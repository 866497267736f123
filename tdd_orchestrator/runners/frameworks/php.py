"""PHPUnit, ParaTest, Pest."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.runners.framework import Ask, Framework, Sample, Select, Signs

_PHP_CONFIG = (
    "phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", "**/bootstrap.php", "**/Pest.php",
    ".env.testing",
)  # fmt: skip

_PHP_KEYS = (("composer.json", ("scripts", "autoload-dev", "config", "extra")),)


PHPUNIT = Framework(
    name="phpunit",
    language="php",
    signs=Signs(
        files=("phpunit.xml", "phpunit.xml.dist", "tests/**/*Test.php"),
        manifests=(("composer.json", r'"phpunit/phpunit"'),),
        words=(r"(?:^|[\s/;&|])(?:phpunit|simple-phpunit)(?:\.phar)?(?=\s|$)",),
    ),
    command=("vendor/bin/phpunit",),
    test_files=("**/*Test.php", "tests/**/*.php"),
    support_files=("tests/**",),
    config_files=_PHP_CONFIG,
    config_keys=_PHP_KEYS,
    ask=Ask("junit", argv=("--log-junit", "{report}"), unless=("--log-junit",)),
    select=Select(flag=("--filter", "/({names})/"), leaf=r"(\w+)(?: with data set .*)?$"),


    extra_argv=("--do-not-cache-result", "--colors=never"),
    runner_modules=("PHPUnit",),
    stops=("--stop-on-failure", "--stop-on-error", "--stop-on-defect"),
    samples=(Sample((("composer.json", '{"require-dev": {"phpunit/phpunit": "^10"}}'),
                ("tests/ATest.php", ""))),
             Sample((), "php vendor/bin/phpunit tests")),
    is_test=("tests/ATest.php", "src/FooTest.php"),
    not_test=("src/Foo.php",),
    weight=2,
)  # fmt: skip

PARATEST = replace(
    PHPUNIT,
    name="paratest",
    read="phpunit",
    signs=Signs(words=(r"(?:^|[\s/;&|])paratest(?=\s|$)",)),
    command=("vendor/bin/paratest",),
    extra_argv=(),  # it refuses most of PHPUnit's options
    samples=(Sample((("composer.json", '{"require-dev": {"phpunit/phpunit": "^11"}}'),),
            "vendor/bin/paratest -p 4"),),
)  # fmt: skip

# Its --filter is searched in the test's description, which has its groups and not its data set. Between
# brackets it is an
# expression as it stands: otherwise "@" and "#" in a name would choose a data set.
_PEST_LEAF = r"^(?:(?:(?! with (?:data ?set \"|\()).)* → )?((?:(?!…$| with (?:data ?set \"|\()).)+)"

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
    select=Select(flag=("--filter", "({names})i"), leaf=_PEST_LEAF),


    runner_modules=("Pest", "PHPUnit"),
    samples=(Sample((("tests/Pest.php", ""), ("tests/Feature/ATest.php", ""))),
        Sample((), "./vendor/bin/pest")),
    is_test=("tests/Feature/ATest.php",),
    not_test=("app/A.php",),
    weight=3,
)  # fmt: skip

ROWS = (
    PHPUNIT, PARATEST, PEST,
)  # fmt: skip
