"""A suite of Pest: names with groups, data sets and arrows; it needs Composer's folder of a project that has Pest."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from kit import Kata

VENDOR = os.environ.get("TDD_PHP_VENDOR", "")
"""A ``vendor`` with Pest, whose autoloader finds ``App\\`` in ``src``."""

CONFIG = """\
<?xml version="1.0" encoding="UTF-8"?>
<phpunit bootstrap="vendor/autoload.php" colors="true">
    <testsuites><testsuite name="Unit"><directory suffix="Test.php">./tests</directory></testsuite></testsuites>
</phpunit>
"""
OLD = "<?php\n\nit('is here (already)', fn () => expect(1 + 1)->toBe(2));\n"
RED = r'''
write("tests/Unit/DoubleTest.php", """<?php

use App\\Double;

describe('double', function () {
    it('doubles', function (int $number, int $wanted) {
        expect(Double::of($number))->toBe($wanted);
    })->with([[2, 4], 'a > b → c' => [3, 6]]);
});
""")
'''
CODE = r'''
write("src/Double.php", """<?php

namespace App;

final class Double
{
    public static function of(int $number): int
    {
        %s
    }
}
""")
'''

LEAVES = "exit(0);"
LIES = 'fwrite(STDOUT, "\\\\n  Tests:    3 passed (3 assertions)\\\\n  Duration: 0.10s\\\\n\\\\n"); exit(0);'
WRONG, RIGHT = "return $number - 3;", "return $number * 2;"


@pytest.mark.skipif(
    not VENDOR or shutil.which("php") is None, reason="TDD_PHP_VENDOR names no vendor folder with Pest"
)
def test_pest(tmp_path: Path) -> None:
    kata = Kata(tmp_path, existing=False)
    kata.write(".gitignore", "/vendor/\n")
    kata.write(
        "composer.json",
        '{"require-dev": {"pestphp/pest": "^3.0"}, "autoload": {"psr-4": {"App\\\\": "src/"}}}\n',
    )
    kata.write("phpunit.xml", CONFIG)
    kata.write("tests/Pest.php", "<?php\n")
    kata.write("tests/Unit/OldTest.php", OLD)
    kata.configure()
    text = (kata.root / "tdd.toml").read_text().splitlines()
    text[1] = 'command = ["vendor/bin/pest"]'
    kata.write("tdd.toml", "\n".join([*text, f'setup = "cp -R {VENDOR} vendor"']) + "\n")
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "chore: set up")
    kata.plan()
    kata.script(red=[RED], green=[CODE % LIES, CODE % LEAVES, CODE % WRONG, CODE % RIGHT])
    done = kata.next()
    assert done.code == 0, done.err
    cheats = ["tampered", "tampered"]
    assert kata.verdicts() == ["proven", *cheats, "still_failing", "proven", "unchanged"]
    assert kata.git("status", "--porcelain") == ""
    green = [record["tests"] for record in kata.records("handoff") if record["phase"] == "GREEN"][-1]
    assert green["counts"]["passed"] == 3
