"""Small projects with a passing suite, one for each runner and layout."""

from __future__ import annotations

from .harness import Base, Files

CALC = """
def add(a, b):
    return a + b


def div(a, b):
    return a / b
"""
TEST_CALC = """
from calc import add, div


def test_adds():
    assert add(1, 2) == 3


def test_divides():
    assert div(6, 2) == 3
"""
PYTHON: Files = {"calc.py": CALC, "tests/test_calc.py": TEST_CALC}
PYTEST = Base("pytest", ("{python}", "-m", "pytest", "-q"), PYTHON)

SRC = Base(
    "src layout",
    "PYTHONPATH=src {python} -m pytest -q",
    {"src/calc/__init__.py": CALC, "tests/test_calc.py": TEST_CALC},
    shell=True,
)

CASE_CALC = """
import unittest

from calc import add, div


class CalcTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)

    def test_divides(self):
        self.assertEqual(div(6, 2), 3)
"""
UNITTEST = Base(
    "unittest",
    ("{python}", "-m", "unittest", "discover", "-s", "tests", "-t", "."),
    {"calc.py": CALC, "tests/__init__.py": "", "tests/test_calc.py": CASE_CALC},
)

JS_CALC = """
exports.add = (a, b) => a + b;
exports.first = (list) => list[0].name;
"""
JS_TEST = """
const test = require("node:test");
const assert = require("node:assert");
const { add, first } = require("../calc.js");

test("adds", () => { assert.strictEqual(add(1, 2), 3); });
test("first", () => { assert.strictEqual(first([{ name: "ada" }]), "ada"); });
"""
JS_LINT = """
const fs = require("fs");
const bad = fs.readdirSync(".").filter((n) => n.endsWith(".js") && fs.readFileSync(n, "utf8").includes("TODO"));
if (bad.length) { console.error("lint: TODO in " + bad.join(", ")); process.exit(2); }
"""
NODE = Base(
    "node",
    ("node", "--test"),
    {
        "calc.js": JS_CALC,
        "test/calc.test.js": JS_TEST,
        "package.json": '{"name": "calc", "version": "1.0.0"}\n',
    },
    needs=("node",),
)

LINT = """
import pathlib
import sys

bad = [path.name for path in pathlib.Path(".").glob("*.py") if "TODO" in path.read_text()]
if bad:
    print("lint: TODO in", ", ".join(bad))
    sys.exit(3)
print("lint: clean")
"""

GO_CALC = """
package calc

func Add(a, b int) int { return a + b }

func First(names []string) string { return names[0] }
"""
GO_TEST = """
package calc

import "testing"

func TestAdd(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestFirst(t *testing.T) {
	if got := First([]string{"ada"}); got != "ada" {
		t.Errorf("got %q", got)
	}
}
"""
GO = Base(
    "go",
    ("go", "test", "./..."),
    {"go.mod": "module calc\n\ngo 1.19\n", "calc.go": GO_CALC, "calc_test.go": GO_TEST},
    needs=("go",),
)

RUST_LIB = """
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

pub fn first(names: &[&str]) -> String {
    names.first().unwrap().to_string()
}
"""
RUST_TEST = """
use calc::{add, first};

#[test]
fn adds() {
    assert_eq!(add(1, 2), 3);
}

#[test]
fn takes_the_first() {
    assert_eq!(first(&["ada"]), "ada");
}
"""
CARGO = Base(
    "cargo",
    ("cargo", "test", "--offline"),
    {"Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n', "src/lib.rs": RUST_LIB,
     "tests/calc.rs": RUST_TEST, ".gitignore": "target/\nCargo.lock\n"},
    needs=("cargo",),
)  # fmt: skip

RB_CALC = """
def add(a, b)
  a + b
end

def first_name(people)
  people.first.fetch(:name)
end
"""
RB_TEST = """
require "minitest/autorun"
require_relative "../lib/calc"

class CalcTest < Minitest::Test
  def test_adds
    assert_equal 3, add(1, 2)
  end

  def test_first_name
    assert_equal "ada", first_name([{ name: "ada" }])
  end
end
"""
RAKEFILE = """
require "rake/testtask"

Rake::TestTask.new do |t|
  t.pattern = "test/**/*_test.rb"
end
"""
MINITEST = Base(
    "minitest",
    ("rake", "test"),
    {"Rakefile": RAKEFILE, "lib/calc.rb": RB_CALC, "test/calc_test.rb": RB_TEST},
    needs=("ruby", "rake"),
)
RB_SPEC = """
require_relative "../lib/calc"

RSpec.describe "calc" do
  it "adds" do
    expect(add(1, 2)).to eq(3)
  end

  it "takes the first name" do
    expect(first_name([{ name: "ada" }])).to eq("ada")
  end
end
"""
RSPEC = Base("rspec", ("rspec",), {"lib/calc.rb": RB_CALC, "spec/calc_spec.rb": RB_SPEC}, needs=("rspec",))

SH_CALC = 'add() { echo "$(($1 + $2))"; }\n'
SH_TEST = """
setup() {
  source "$BATS_TEST_DIRNAME/../lib/calc.sh"
}

@test "adds" {
  run add 1 2
  [ "$output" = "3" ]
}
"""
BATS = Base(
    "bats", ("bats", "-r", "test"), {"lib/calc.sh": SH_CALC, "test/calc.bats": SH_TEST}, needs=("bats",)
)

PHP_CALC = """
<?php

function add(int $a, int $b): int
{
    return $a + $b;
}

function ratio(int $a, int $b): ?int
{
    return intdiv($a, $b);
}
"""
PHP_TEST = """
<?php

require_once __DIR__ . '/../src/calc.php';

final class CalcTest extends \\PHPUnit\\Framework\\TestCase
{
    public function testAdds(): void
    {
        $this->assertSame(3, add(1, 2));
    }
}
"""
PHP = Base(
    "phpunit",
    ("phpunit", "tests"),
    {"src/calc.php": PHP_CALC, "tests/CalcTest.php": PHP_TEST, ".gitignore": ".phpunit.result.cache\n"},
    needs=("phpunit",),
)

PM_CALC = """
package Calc;
use strict;
use warnings;

sub add { return $_[0] + $_[1] }
sub div { return $_[0] / $_[1] }

1;
"""
PM_TEST = """
use strict;
use warnings;
use Test::More;
use Calc;

is(Calc::add(1, 2), 3, 'adds');
is(Calc::div(6, 2), 3, 'divides');
done_testing;
"""
PROVE = Base("prove", ("prove", "-lr", "t"), {"lib/Calc.pm": PM_CALC, "t/calc.t": PM_TEST}, needs=("prove",))

LUA_CALC = """
local calc = {}

function calc.add(a, b) return a + b end

function calc.first(people) return people[1].name end

return calc
"""
LUA_TEST = """
local calc = require("calc")

describe("calc", function()
  it("adds", function()
    assert.are.equal(3, calc.add(1, 2))
  end)
end)
"""
BUSTED = Base(
    "busted", ("busted",), {"calc.lua": LUA_CALC, "spec/calc_spec.lua": LUA_TEST}, needs=("busted",)
)

EX_CALC = """
defmodule Calc do
  def add(a, b), do: a + b
  def first(people), do: hd(people).name
end
"""
EX_TEST = """
defmodule CalcTest do
  use ExUnit.Case

  test "adds" do
    assert Calc.add(1, 2) == 3
  end
end
"""
MIX = """
defmodule Calc.MixProject do
  use Mix.Project

  def project do
    [app: :calc, version: "0.1.0"]
  end
end
"""
EXUNIT = Base(
    "exunit",
    ("mix", "test"),
    {"mix.exs": MIX, "lib/calc.ex": EX_CALC, "test/test_helper.exs": "ExUnit.start()\n", "test/calc_test.exs": EX_TEST,
     ".gitignore": "_build/\n"},
    needs=("mix",),
)  # fmt: skip

CPP_CALC = """
#pragma once
#include <stdexcept>
#include <vector>
inline int add(int a, int b) { return a + b; }
inline int first(const std::vector<int>& numbers) { return numbers.at(0); }
"""
CPP_TEST = """
#include <gtest/gtest.h>
#include "../calc.h"

TEST(Calc, Adds) {
  EXPECT_EQ(add(1, 2), 3);
}
"""
CPP_MAKE = (
    "test: build/tests\n\t./build/tests\n\n"
    "build/tests: $(wildcard tests/*.cpp) $(wildcard *.h)\n"
    "\t@mkdir -p build\n\tg++ -O0 -o $@ tests/*.cpp -lgtest -lgtest_main -pthread\n"
)
GTEST = Base(
    "gtest",
    ("make", "test"),
    {"calc.h": CPP_CALC, "tests/calc_test.cpp": CPP_TEST, "Makefile": CPP_MAKE, ".gitignore": "build/\n"},
    needs=("g++", "make", "/usr/include/gtest"),
)

CMAKE_ROOT = """
cmake_minimum_required(VERSION 3.10)
project(calc C)
enable_testing()
add_library(calc src/add.c)
target_include_directories(calc PUBLIC include)
"""
CTEST = Base(
    "ctest",
    "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
    {
        "CMakeLists.txt": f"{CMAKE_ROOT}add_subdirectory(tests)\n", "include/calc.h": "int add(int a, int b);\n",
        "src/add.c": '#include "calc.h"\n\nint add(int a, int b) { return a + b; }\n',
        "tests/CMakeLists.txt": "add_executable(test_add test_add.c)\ntarget_link_libraries(test_add calc)\nadd_test(NAME add COMMAND test_add)\n",
        "tests/test_add.c": '#include <assert.h>\n#include "calc.h"\n\nint main(void) {\n  assert(add(1, 2) == 3);\n  return 0;\n}\n',
        ".gitignore": "build/\n",
    },
    needs=("cmake", "ctest", "cc"), shell=True,
)  # fmt: skip
