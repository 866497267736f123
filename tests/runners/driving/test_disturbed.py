"""A file of tests that is written while they run: what is committed is not what ran, in whatever language."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tdd_orchestrator.model.report import CHANGED, RunVerdict
from tdd_orchestrator.runners.run import find_changes, snapshot_files

PYTHON = (
    "import atexit, pathlib\n\nfile = pathlib.Path(__file__).parent / 'tests' / 'test_z.py'\ntext = file.read_text()\n"
    "file.write_text(text.replace('== 3', '== 0'))\natexit.register(file.write_text, text)\n\n\ndef add(a, b):\n    return 0\n"
)
UNITTEST = "import unittest\nfrom kata import add\n\n\nclass {}(unittest.TestCase):\n    def test_adds(self):\n        assert add(1, 2) == {}\n"
NODE = (
    "const fs = require('fs');\nconst file = __dirname + '/test/z.test.js';\n"
    "fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(', 3)', ', 0)'));\nexports.add = () => 0;\n"
)
NODE_TEST = (
    "const test = require('node:test');\nconst assert = require('assert');\nconst {{ add }} = require('../kata.js');\n"
    "test('{}', () => assert.strictEqual(add(1, 2), {}));\n"
)
RUBY = "file = File.join(__dir__, 'spec', 'z_spec.rb')\nFile.write(file, File.read(file).sub('eq(3)', 'eq(0)'))\ndef add(a, b) = 0\n"
RUBY_TEST = "require_relative '../kata'\nRSpec.describe '{}' do\n  it('adds') {{ expect(add(1, 2)).to eq({}) }}\nend\n"
BATS = "sed -i 's/= 3/= 0/' test/z.bats\necho 0\n"
BATS_TEST = '@test "{}" {{\n  [ "$(sh ./kata.sh)" = {} ]\n}}\n'
SUITES = {
    "pytest": (
        {"kata.py": PYTHON, "tests/test_a.py": "from kata import add\n\n\ndef test_a():\n    assert add(1, 2) == 0\n",
         "tests/test_z.py": "from kata import add\n\n\ndef test_z():\n    assert add(1, 2) == 3\n"},
        ("python", "-m", "pytest", "-q"),
    ),
    "unittest": (
        {"kata.py": PYTHON, "tests/__init__.py": "", "tests/test_a.py": UNITTEST.format("A", 0), "tests/test_z.py": UNITTEST.format("Z", 3)},
        ("python", "-m", "unittest"),
    ),
    "node-test": (
        {"kata.js": NODE, "test/a.test.js": NODE_TEST.format("a", 0), "test/z.test.js": NODE_TEST.format("z", 3)},
        ("node", "--test", "--test-concurrency=1"),
    ),
    "rspec": (
        {"kata.rb": RUBY, "spec/a_spec.rb": RUBY_TEST.format("a", 0), "spec/z_spec.rb": RUBY_TEST.format("z", 3)},
        ("rspec",),
    ),
    "bats": (
        {"kata.sh": BATS, "test/a.bats": BATS_TEST.format("a", 0), "test/z.bats": BATS_TEST.format("z", 3)},
        ("bats", "test"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("framework", SUITES)
def test_a_test_that_is_rewritten_before_it_is_read_is_told(write, drive, framework):
    files, command = SUITES[framework]
    if command[0] != "python" and shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not here")
    tests = [path for path in files if "/" in path]
    ran = drive(write(files), command, framework=framework, watched=tests)
    told = [one for one in ran.report.disagreements if one.startswith(CHANGED)]
    assert len(told) == 1, ran.output
    assert "z" in told[0].partition("test")[2], told


def test_a_suite_that_writes_elsewhere_is_honest(write, drive):
    tree = write(
        {
            "tests/test_a.py": (
                "import pathlib\nhere = pathlib.Path(__file__).parent\n\n\ndef test_a():\n    (here / 'golden.json').write_text('{}')\n"
                "    (here / 'made.py').write_text('x = 1')\n    (here / 'made.py').unlink()\n"
            ),
            "tests/golden.json": "[]",
        }
    )
    ran = drive(tree, watched=["tests/test_a.py"])
    assert (ran.report.verdict, ran.report.disagreements) == (RunVerdict.PASSED, ())


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        (lambda file: file.write_text(file.read_text()), ["tests/test_a.py"]),
        (lambda file: file.unlink(), ["tests/test_a.py"]),
        (
            lambda file: file.rename(file.with_name("x")) and file.with_name("x").rename(file),
            ["tests/test_a.py"],
        ),
        (lambda file: os.utime(file, (1, 1)), ["tests/test_a.py"]),
        (lambda file: (file.parent / "helper.py").write_text("y = 2"), ["tests/helper.py"]),
        (lambda file: (file.parents[1] / "conftest.py").write_text("y = 2"), ["conftest.py"]),
        (lambda file: (file.parent / "data.json").write_text("2"), []),
        (lambda file: file.read_text(), []),
    ],
)
def test_what_counts(write, deed, told) -> None:
    tree: Path = write({"tests/test_a.py": "x = 1\n", "tests/helper.py": "y = 1", "tests/data.json": "1"})
    before = snapshot_files(tree, ["tests/test_a.py"])
    deed(tree / "tests" / "test_a.py")
    assert [one.removeprefix(CHANGED).partition(",")[0] for one in find_changes(tree, before)] == told
