"""The kata in other languages: a suite of one passing test, its honest scenes, and what each needs to be played."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .stage import Stage, w

MODULES = os.environ.get("TDD_NODE_MODULES", "")
"""A ``node_modules`` with jest, mocha and vitest; without it their rows are skipped."""

CACHES = {
    "GOCACHE": os.environ.get("GOCACHE") or str(Path(tempfile.gettempdir(), "tdd-hostile-go")),
    "CARGO_HOME": os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo"),
    "RUSTUP_HOME": os.environ.get("RUSTUP_HOME") or str(Path.home() / ".rustup"),
    "MIX_HOME": os.environ.get("MIX_HOME") or str(Path.home() / ".mix"),
}
"""The stage has a home of its own; a tool-chain that it would have to fill anew stays where it is."""


@dataclass(frozen=True)
class Tongue:
    """``code`` and ``test`` are paths; ``body`` what a wrong and a right module say, with ``{cheat}`` where a
    cheat stands at load and ``{inside}`` where it stands in the call, and ``{answer}``."""

    name: str
    command: tuple[str, ...]
    files: Mapping[str, str]
    code: str
    body: str
    test: str
    red: str
    said: str
    needs: tuple[str, ...] = ()
    link: str = ""
    more: Mapping[str, str] = field(default_factory=dict)  # files of the honest solution beside ``code``
    right: str = "number * 2"
    false: str = "number + 3"

    def written(self, answer: str, cheat: str = "", inside: str = "") -> str:
        text = self.body
        for name, value in (("cheat", cheat), ("inside", inside), ("answer", answer)):
            text = text.replace("{" + name + "}", value)
        return w(self.code, text)

    @property
    def green(self) -> str:
        return self.written(self.right)

    @property
    def wrong(self) -> str:
        return self.written(self.false)

    def code_that(self, cheat: str) -> str:
        """Wrong production code that cheats when it is loaded."""
        return self.written(self.false, cheat)

    def called(self, cheat: str) -> str:
        """Wrong production code that cheats when the test calls it."""
        return self.written(self.false, inside=cheat)

    @property
    def honest(self) -> dict[str, str]:
        return {"RED": w(self.test, self.red), "GREEN": self.green, "REFACTOR": ""}

    def missing(self) -> str:
        """Why this tongue cannot be played here; empty where it can."""
        absent = [name for name in self.needs if shutil.which(name) is None]
        if absent:
            return f"{', '.join(absent)} is not installed"
        if self.link and not Path(MODULES, ".bin", self.command[0].rsplit("/", 1)[-1]).exists():
            return "TDD_NODE_MODULES names no folder with this runner"
        return ""

    def stage(self, folder: Path, *, config: str = "") -> Stage:
        return _Foreign(self, folder, config)


class _Foreign(Stage):
    """The same stage with another language on it."""

    caches = CACHES

    def __init__(self, tongue: Tongue, folder: Path, config: str) -> None:
        self.tongue, self.command, self.honest, self.said = tongue, tongue.command, tongue.honest, tongue.said
        if tongue.link:
            config += f'[workspace]\nsandbox = "none"\nlink = ["{tongue.link}"]\n'
        super().__init__(folder, config=config, existing=False)

    def configure(self, more: str = "") -> None:
        super().configure(more)
        for name, text in self.tongue.files.items():
            self.write(name, text)
        self.write(".gitignore", ".env\nnode_modules\ntarget/\n_build/\n.phpunit.result.cache\nCargo.lock\n")
        self.furnish(self.root)

    def furnish(self, clone: Path) -> None:
        if self.tongue.link:
            (clone / self.tongue.link).symlink_to(MODULES)

    def tdd(self, *words: str, env: Mapping[str, str] | None = None, **kw: object) -> object:  # type: ignore[override]
        return super().tdd(*words, env={**CACHES, **(env or {})}, **kw)  # type: ignore[arg-type]


_JS_OLD = "exports.greet = (name) => `hello ${name}`;\n"
_JS_CODE = "{cheat}\nexports.double = (number) => {\n  {inside}\n  return {answer};\n};\n"
_NODE_TEST = """
const test = require("node:test");
const assert = require("node:assert");
const { %s } = require("../%s.js");

test("%s", () => { assert.strictEqual(%s, %s); });
"""
_NODE_GREET = _NODE_TEST % ("greet", "greet", "greets", 'greet("ada")', '"hello ada"')
_NODE_DOUBLE = _NODE_TEST % ("double", "double", "doubles", "double(2)", "4")
_PACKAGE = '{"name": "kata", "version": "1.0.0", "scripts": {"test": "%s"}}\n'


def _of_js(
    name: str, command: tuple[str, ...], script: str, tests: tuple[str, str], said: str, **kw: object
) -> Tongue:
    """``tests``: the old one's text and the new one's."""
    files = {"package.json": _PACKAGE % script, "greet.js": _JS_OLD, "test/greet.test.js": tests[0]}
    return Tongue(
        name, command, files, "double.js", _JS_CODE, "test/double.test.js", tests[1], said, ("node",), **kw
    )  # type: ignore[arg-type]


NODE = _of_js("node", ("node", "--test"), "node --test", (_NODE_GREET, _NODE_DOUBLE), r"pass 2")
NPM = _of_js("npm", ("npm", "test"), "node --test", (_NODE_GREET, _NODE_DOUBLE), r"pass 2")
MOCHA = _of_js(
    "mocha", ("node_modules/.bin/mocha",), "mocha",
    tuple(one.replace('const test = require("node:test");\n', "").replace("test(", "it(") for one in (_NODE_GREET, _NODE_DOUBLE)),  # type: ignore[arg-type]
    r"2 passing", link="node_modules",
)  # fmt: skip
JEST = _of_js(
    "jest", ("node_modules/.bin/jest",), "jest",
    ('const { greet } = require("../greet.js");\n\ntest("greets", () => { expect(greet("ada")).toBe("hello ada"); });\n',
     'const { double } = require("../double.js");\n\ntest("doubles", () => { expect(double(2)).toBe(4); });\n'),
    r"", link="node_modules",
)  # fmt: skip
_VITEST = 'import { expect, test } from "vitest";\nimport { %s } from "../%s.js";\n\ntest("%s", () => { expect(%s).toBe(%s); });\n'
VITEST = Tongue(
    "vitest", ("node_modules/.bin/vitest", "run"),
    {"package.json": _PACKAGE.replace('"scripts"', '"type": "module", "scripts"') % "vitest run",
     "greet.js": "export const greet = (name) => `hello ${name}`;\n",
     "test/greet.test.js": _VITEST % ("greet", "greet", "greets", 'greet("ada")', '"hello ada"')},
    "double.js", "{cheat}\nexport const double = (number) => {\n  {inside}\n  return {answer};\n};\n",
    "test/double.test.js", _VITEST % ("double", "double", "doubles", "double(2)", "4"), r"2 passed", ("node",), "node_modules",
)  # fmt: skip

_GO_TEST = 'package kata\n\nimport "testing"\n\nfunc Test%s(t *testing.T) {\n\tif got := %s; got != %s {\n\t\tt.Errorf("got %%v", got)\n\t}\n}\n'
GO = Tongue(
    "go", ("go", "test", "./..."),
    {"go.mod": "module kata\n\ngo 1.19\n", "greet.go": 'package kata\n\nfunc Greet(name string) string { return "hello " + name }\n',
     "greet_test.go": _GO_TEST % ("Greets", 'Greet("ada")', '"hello ada"')},
    "double.go", "package kata\n\n{cheat}\n\nfunc Double(number int) int {\n\t{inside}\n\treturn {answer}\n}\n",
    "double_test.go", _GO_TEST % ("Doubles", "Double(2)", "4"), r"^ok", ("go",),
)  # fmt: skip

_RB_CODE = "{cheat}\ndef double(number)\n  {inside}\n  {answer}\nend\n"
_RB_OLD = 'def greet(name)\n  "hello #{name}"\nend\n'
_MINITEST = 'require "minitest/autorun"\nrequire_relative "../lib/%s"\n\nclass %sTest < Minitest::Test\n  def test_%s\n    assert_equal %s, %s\n  end\nend\n'
MINITEST = Tongue(
    "minitest", ("rake", "test"),
    {"Rakefile": 'require "rake/testtask"\n\nRake::TestTask.new do |t|\n  t.pattern = "test/**/*_test.rb"\nend\n',
     "lib/greet.rb": _RB_OLD,
     "test/greet_test.rb": _MINITEST % ("greet", "Greet", "greets", '"hello ada"', 'greet("ada")')},
    "lib/double.rb", _RB_CODE, "test/double_test.rb", _MINITEST % ("double", "Double", "doubles", "4", "double(2)"),
    r"2 runs, 2 assertions, 0 failures", ("ruby", "rake"),
)  # fmt: skip
_RSPEC = 'require_relative "../lib/%s"\n\nRSpec.describe "%s" do\n  it "%s" do\n    expect(%s).to eq(%s)\n  end\nend\n'
RSPEC = Tongue(
    "rspec", ("rspec",),
    {"lib/greet.rb": _RB_OLD, "spec/greet_spec.rb": _RSPEC % ("greet", "greeting", "greets", 'greet("ada")', '"hello ada"')},
    "lib/double.rb", _RB_CODE.replace("double", "twice"),  # ``double`` is a word of RSpec's own
    "spec/double_spec.rb", _RSPEC % ("double", "doubling", "doubles", "twice(2)", "4"),
    r"2 examples, 0 failures", ("rspec",),
)  # fmt: skip

_BATS = 'setup() {\n  source "$BATS_TEST_DIRNAME/../lib/%s.sh"\n}\n\n@test "%s" {\n  run %s\n  [ "$output" = "%s" ]\n}\n'
BATS = Tongue(
    "bats", ("bats", "-r", "test"),
    {"lib/greet.sh": 'greet() { echo "hello $1"; }\n', "test/greet.bats": _BATS % ("greet", "greets", "greet ada", "hello ada")},
    "lib/double.sh", '{cheat}\ndouble() {\n  local number=$1\n  {inside}\n  echo "$(({answer}))"\n}\n',
    "test/double.bats", _BATS % ("double", "doubles", "double 2", "4"), r"^ok 2", ("bats",),
)  # fmt: skip

_PERL = "use strict;\nuse warnings;\nuse Test::More;\nuse %s;\n\nis(%s, %s, '%s');\ndone_testing;\n"
PROVE = Tongue(
    "prove", ("prove", "-lr", "t"),
    {"lib/Greet.pm": 'package Greet;\nuse strict;\nuse warnings;\n\nsub greet { return "hello $_[0]" }\n\n1;\n',
     "t/greet.t": _PERL % ("Greet", "Greet::greet('ada')", "'hello ada'", "greets")},
    "lib/Double.pm", "package Double;\nuse strict;\nuse warnings;\n{cheat}\n\nsub double {\n    my $number = shift;\n    {inside}\n    return {answer};\n}\n\n1;\n",
    "t/double.t", _PERL % ("Double", "Double::double(2)", "4", "doubles"), r"All tests successful", ("prove",),
    right="$number * 2", false="$number + 3",
)  # fmt: skip

_PHP = "<?php\n\nrequire_once __DIR__ . '/../src/%s.php';\n\nfinal class %sTest extends \\PHPUnit\\Framework\\TestCase\n{\n    public function test%s(): void\n    {\n        $this->assertSame(%s, %s);\n    }\n}\n"
PHP = Tongue(
    "phpunit", ("phpunit", "tests"),
    {"src/greet.php": '<?php\n\nfunction greet(string $name): string\n{\n    return "hello $name";\n}\n',
     "tests/GreetTest.php": _PHP % ("greet", "Greet", "Greets", "'hello ada'", "greet('ada')")},
    "src/double.php", "<?php\n\n{cheat}\nfunction double(int $number)\n{\n    {inside}\n    return {answer};\n}\n",
    "tests/DoubleTest.php", _PHP % ("double", "Double", "Doubles", "4", "double(2)"), r"OK \(2 tests", ("phpunit",),
    right="$number * 2", false="$number + 3",
)  # fmt: skip

_RUST = "use kata::%s;\n\n#[test]\nfn %s() {\n    assert_eq!(%s, %s);\n}\n"
CARGO = Tongue(
    "cargo", ("cargo", "test", "--offline"),
    {"Cargo.toml": '[package]\nname = "kata"\nversion = "0.1.0"\nedition = "2021"\n',
     "src/lib.rs": "mod greeting;\npub use greeting::greet;\n\npub fn double(_number: i32) -> i32 {\n    0\n}\n",
     "src/greeting.rs": 'pub fn greet(name: &str) -> String {\n    format!("hello {name}")\n}\n',
     "tests/greet.rs": _RUST % ("greet", "greets", 'greet("ada")', '"hello ada"')},
    "src/lib.rs", "mod greeting;\npub use greeting::greet;\n{cheat}\n\npub fn double(number: i32) -> i32 {\n    {inside}\n    {answer}\n}\n",
    "tests/double.rs", _RUST % ("double", "doubles", "double(2)", "4"), r"test doubles \.\.\. ok", ("cargo",),
)  # fmt: skip

_LUA = 'local %s = require("%s")\n\ndescribe("%s", function()\n  it("%s", function()\n    assert.are.equal(%s, %s)\n  end)\nend)\n'
BUSTED = Tongue(
    "busted", ("busted",),
    {"greet.lua": 'return function(name)\n  return "hello " .. name\nend\n',
     "spec/greet_spec.lua": _LUA % ("greet", "greet", "greeting", "greets", '"hello ada"', 'greet("ada")')},
    "double.lua", "{cheat}\nreturn function(number)\n  {inside}\n  return {answer}\nend\n",
    "spec/double_spec.lua", _LUA % ("double", "double", "doubling", "doubles", "4", "double(2)"), r"2 successes", ("busted",),
)  # fmt: skip

_EX = 'defmodule %sTest do\n  use ExUnit.Case\n\n  test "%s" do\n    assert %s == %s\n  end\nend\n'
EXUNIT = Tongue(
    "exunit", ("mix", "test"),
    {"mix.exs": 'defmodule Kata.MixProject do\n  use Mix.Project\n\n  def project do\n    [app: :kata, version: "0.1.0"]\n  end\nend\n',
     "lib/greet.ex": 'defmodule Greet do\n  def greet(name), do: "hello #{name}"\nend\n', "test/test_helper.exs": "ExUnit.start()\n",
     "test/greet_test.exs": _EX % ("Greet", "greets", 'Greet.greet("ada")', '"hello ada"')},
    "lib/double.ex", "defmodule Double do\n  {cheat}\n  def double(number) do\n    {inside}\n    {answer}\n  end\nend\n",
    "test/double_test.exs", _EX % ("Double", "doubles", "Double.double(2)", "4"), r"2 tests, 0 failures", ("mix",),
)  # fmt: skip

TONGUES = (NODE, NPM, MOCHA, JEST, VITEST, GO, MINITEST, RSPEC, BATS, PROVE, PHP, CARGO, BUSTED, EXUNIT)
