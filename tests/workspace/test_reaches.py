"""What production code may not do to its runner, by language; and the honest lines that look like it."""

from __future__ import annotations

import pytest

from tdd_orchestrator.workspace.reach_rows import REACHES
from tdd_orchestrator.workspace.reaches import reached

TRICKS = [
    ("A.swift", "import Testing"),
    ("A.swift", "public func XCTAssertEqual(_ a: Int, _ b: Int) {}"),
    (
        "A.swift",
        '@freestanding(expression) public macro expect(_ it: Bool) = #externalMacro(module: "M", type: "E")',
    ),
    ("a.py", "    item.config.pluginmanager.register(P)"),
    ("a.py", "    up('pyfuncitem').config.pluginmanager.register(P)"),
    ("a.py", "    getattr(config, 'pluginmanager').unregister(name='runner')"),
    ("a.js", "require('assert').strictEqual = () => {};"),
    ("a.js", "const a = require('ass' + 'ert'); a['strict' + 'Equal'] = () => {};"),
    ("a.ts", "import { test } from 'vitest';"),
    ("a.mjs", "const v = await import('vi' + 'test');"),
    ("a.js", "globalThis.expect = () => {};"),
    ("a.js", "const e = global['exp' + 'ect'];"),
    ("a.js", "const g = global; g['exp' + 'ect'] = () => {};"),
    ("a.js", "process.on('exit', () => { process.exitCode = 0; });"),
    ("a.js", "Module._load = (name) => name;"),
    ("bin/a", "#!/usr/bin/env node\nprocess.reallyExit(0);"),
    ("a.go", 'import "testing"'),
    ("a.go", '\t"testing/quick"'),
    ("a.go", "\tsyscall.Exit(0)"),
    ("a.rb", "module Minitest; def self.run(*) = true; end"),
    ("a.rb", "Object.const_get('Mini' + 'test')::Assertions"),
    ("a.rb", "at_exit { exit! 0 }"),
    ("A.pm", "*main::is = sub { 1 };"),
    ("A.pm", "no strict 'refs'; &{'POS' . 'IX::_' . 'exit'}(0);"),
    ("a.php", "throw new \\PHPUnit\\Framework\\SkippedTestError('x');"),
    ("a.php", "$f['object']->expectException(\\Throwable::class);"),
    ("a.rs", '#[link_section = ".init_array"]'),
    ("a.lua", 'local a = require("luassert")'),
    ("a.ex", "ExUnit.configure(exclude: [:test])"),
    ("a.sh", "function [ { return 0; }"),
    ("A.java", "import org.junit.jupiter.api.Test;"),
    ("a.py", "import pytest"),
    ("a.py", "r = sys.modules.get('_py' 'test.runner')"),
    ("a.py", "r = sys.modules.get('_py' + \"test.runner\")"),
    ("a.py", "for name, module in list(sys.modules.items()):"),
    ("a.py", "importlib.import_module('unit' + 'test').SkipTest"),
    ("a.py", "item = inspect.stack()[1].frame.f_locals['self']"),
    ("a.py", "case = vars(sys)['mod' 'ules']['unit' 'test'].TestCase"),
    ("a.py", "found = getattr(sys, 'mod' + 'ules')"),
    ("a.py", "frame = frame.f_back"),
    ("a.py", "for frame in sys._current_frames().values():"),
    ("a.py", "test.__code__ = (lambda: None).__code__"),
    ("a.py", "gc.get_referrers(double)"),
    ("a.py", "watched = 'PYTEST_VERSION' in os.environ"),
    ("a.js", "const t = require('node:async_hooks').executionAsyncResource();"),
    ("a.js", "createHook({ init(id, type, trigger, resource) { seen.push(resource); } }).enable();"),
    ("a.js", "process.exitCode = undefined;"),
    ("a.js", "createHook({ init(...all) { seen.push(all[3]); } }).enable();"),
    ("a.rb", "define_singleton_method(:assert_equal) { |*| assert(true) }"),
    ("a.rb", "singleton_class.prepend(Module.new { def assert_equal(*) = assert(true) })"),
    ("a.rb", "Object.const_set(:DoubleTest, Class.new(Object.const_get(%w[Mini test].join)::Test))"),
    ("a.rb", "define_singleton_method(:failures) { [] }"),
    ("a.rb", "  def assert_equal(*)"),
    ("a.rb", "  def one.refute_nil(*) = nil"),
    ("a.rb", "me = self; define_singleton_method(:expect) { |*| Object.new }"),
    ("a.rb", "RSpec::Matchers.define(:eq) { |n| match { true } }"),
    ("a.rb", "ObjectSpace.each_object(Class).find { |one| one.name == 'X' }"),
    ("a.php", "foreach (debug_backtrace() as $f) { $o = $f['object'] ?? null; }"),
    ("a.php", "$m = implode(['expect', 'Exception']);"),
    ("a.php", 'eval("namespace $ns; class A extends Constraint {}");'),
    ("a.php", "class IsIdentical extends Constraint {}"),
    ("a.php", "register_shutdown_function(function () { exit; });"),
    ("a.php", "Assert::markTestSkipped('later');"),
    ("a.sh", "assert_output() { :; }"),
    ("a.sh", "assertEquals() { :; }"),
    ("a.sh", "test() { return 0; }"),
    ("a.sh", "enable -n [; hash -p /bin/true ["),
]
HONEST = [
    ("a.py", "        self.pluginmanager.register(plugin)"),
    ("a.py", "from .pluginmanager import PluginManager"),
    ("a.py", "from app.pluginmanager import PluginManager"),
    ("a.py", "pluginmanager = make()"),
    ("cli.js", "if (require.main === module) process.exit(main(process.argv.slice(2)));"),
    ("cli.js", "process.exitCode = 2;"),
    ("cli.js", "if (process.exitCode === 0) done();"),
    ("a.js", "process.on('exit', (code) => console.log(`bye ${code}`));"),
    ("a.js", "import { sample } from './testing.js';"),
    ("a.js", "assert.equal(number, 4);"),
    ("a.js", "console.log('not ok 1 - doubles');"),
    ("README.md", "import { test } from 'vitest';"),
    ("a.go", 'import "kata/internal/testing"'),
    ("main.go", "\tos.Exit(2)"),
    ("a.go", 'fmt.Println("--- FAIL: TestNothing (0.00s)")'),
    ("a.rb", "at_exit { LOG.close }"),
    ("a.rb", "# runs under Minitest and RSpec"),
    ("bin/a", "#!/usr/bin/env ruby\nexit 2"),
    ("A.pm", "use Kata::Testing;"),
    ("a.php", "exit(2);"),
    ("a.rs", "std::process::exit(2);"),
    ("a.sh", "trap 'rm -f \"$tmp\"' EXIT"),
    ("a.sh", "[ $# -eq 1 ] || exit 2"),
    ("a.py", "sys.exit(main())"),
    ("notes.txt", "import pytest"),
    ("a.py", "if 'numpy' in sys.modules:"),
    ("a.py", "frozen = getattr(sys, 'frozen', False)"),
    ("a.py", "module = sys.modules[__name__]"),
    ("a.py", "plugin = importlib.import_module(name)"),
    ("a.py", "same = first.__code__ == second.__code__"),
    ("a.py", "names = ['a', 'b'] + [\"it's\"]"),
    ("a.js", "const { AsyncLocalStorage } = require('node:async_hooks');"),
    ("A.swift", "// says what XCTest says"),
    ("A.swift", "func expectation(of name: String) -> Int { exit(2) }"),
    ("a.sh", 'if test -n "$1"; then'),
    ("a.sh", "assert_root() {"),
    ("cli.js", "if (require.main === module) process.exitCode = main(process.argv.slice(2));"),
    ("a.js", "exports.deepEqual = (a, b) => JSON.stringify(a) === JSON.stringify(b);"),
    ("a.js", "const hook = createHook({ init(id, type) { tracked.set(id, type); } });"),
    ("a.rb", "ObjectSpace.each_object(Class).select { |one| one < kind }"),
    ("a.rb", "at_exit { puts 'exiting' }"),
    ("lib/kata/rspec.rb", "require 'rspec/expectations'"),
    ("lib/kata/rspec.rb", "RSpec::Matchers.define(:be_double) { |n| match { |m| m == n * 2 } }"),
    ("a.rb", "def assert_valid_keys(*keys)"),
    ("a.rb", "singleton_class.prepend(Memo)"),
    ("a.php", "register_shutdown_function(function () { error_log('exit'); });"),
    ("a.php", "use PHPUnit\\Framework\\Assert;"),
    ("a.php", "class Even extends Constraint {}"),
]


@pytest.mark.parametrize(("path", "line"), TRICKS)
def test_a_trick_is_seen(path: str, line: str) -> None:
    assert reached(path, (), line + "\n")


@pytest.mark.parametrize(("path", "line"), HONEST)
def test_an_honest_line_is_not_one(path: str, line: str) -> None:
    assert reached(path, (), line + "\n") == ""


def test_what_was_there_before_is_the_users_own() -> None:
    assert reached("a.go", [("a.go", 'import "testing"\n')], 'import "testing"\n\nvar x = 1\n') == ""


@pytest.mark.parametrize("line", ["run() {", "function run()", "skip() { shift; }"])
def test_a_name_of_bats_is_a_trick_where_bats_is(line: str) -> None:
    assert reached("a.sh", (), line + "\n", ("**/*.bats",)) == line
    assert reached("a.sh", (), line + "\n", ("**/*_test.sh",)) == ""


def test_no_suffix_stands_in_two_rows() -> None:
    suffixes = [(suffix, row.tests) for row in REACHES for suffix in row.suffixes]
    assert sorted(suffixes) == sorted(set(suffixes))
