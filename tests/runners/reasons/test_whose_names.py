"""Whose a missing name is, by what the project calls itself: its own is a good RED, anybody else's is not."""

from __future__ import annotations

import pytest

from tdd_orchestrator.model.report import BuildError, Case, Outcome, Reason
from tdd_orchestrator.runners.reasons import Project, red_reason
from tdd_orchestrator.testlog.read import read

OWN, OTHERS = Reason.MISSING_SYMBOL, Reason.THIRD_PARTY
PHP = {"Acme\\Kata\\"}


@pytest.mark.parametrize(
    ("language", "project", "said", "reason"),
    [
        ("rust", {"acme_kata"}, "E0432: unresolved import `acme_kata::double`", OWN),
        ("rust", {"acme_kata"}, "E0432: unresolved import `acme_other::double`", OTHERS),
        ("rust", {"acme_kata"}, "E0432: unresolved import `std::collections::Nothing`", OTHERS),
        ("rust", {"acme_kata"}, "E0433: cannot find `maths` in `acme_kata`", OWN),
        ("rust", {"acme_kata"}, "E0433: cannot find `maths` in `std`", OTHERS),
        ("rust", {"acme_kata"}, "E0433: failed to resolve: could not find `maths` in `acme_kata`", OWN),
        ("rust", {"acme_kata"}, "E0425: cannot find function `double` in crate `acme_kata`", OWN),
        ("rust", {"acme_kata"}, "E0425: cannot find function `double` in crate `std`", OTHERS),
        ("rust", {"acme_kata"}, "E0463: can't find crate for `serde`", OTHERS),
        ("rust", {"acme_kata"}, "E0277: the trait bound `Money: Area` is not satisfied", OWN),
        ("rust", {"acme_kata"}, "E0277: the trait bound `&i32: Area` is not satisfied", Reason.EXCEPTION),
        ("rust", {"acme_kata"}, "E0369: binary operation `==` cannot be applied to type `Money`", OWN),
        ("rust", {"acme_kata"}, "E0369: binary operation `==` cannot be applied to type `Vec<u8>`", Reason.EXCEPTION),
        ("rust", {"acme_kata"}, "E0277: `Money` doesn't implement `Debug`", OWN),
        ("rust", {"acme_kata"}, "E0369: cannot add `Money` to `Money`", OWN),
        ("rust", {"acme_kata"}, "E0369: cannot add `&str` to `String`", Reason.EXCEPTION),
        ("java", {"com.acme"}, "package com.acme.maths does not exist", OWN),
        ("java", {"com.acme"}, "package com.acmeother does not exist", OTHERS),
        ("java", {"com.acme"}, "package org.assertj.core.api does not exist", OTHERS),
        ("java", {"com.acme"}, "cannot find symbol\n  symbol:   class Twice\n  location: package com.acme", OWN),
        ("java", {"com.acme"}, "cannot find symbol\n  symbol:   class Nope\n  location: package java.util", OTHERS),
        ("java", {"com.acme"}, "cannot find symbol\n  symbol:   method helper()\n  location: class com.acme.TwiceTest", Reason.EXCEPTION),
        ("java", {"com.acme"}, "cannot find symbol\n  symbol:   variable whatever\n  location: class TwiceTest", Reason.EXCEPTION),
        ("java", {"com.acme"}, "cannot find symbol\n  symbol:   variable Twice\n  location: class TwiceTest", OWN),
        ("java", {"com.acme"}, "cannot find symbol\n  symbol:   method shout(String)\n  location: class Greet", OWN),
        ("go", {"github.com/acme/kata"}, "no required module provides package github.com/acme/kata/maths; to add it:", OWN),
        ("go", {"github.com/acme/kata"}, "no required module provides package github.com/acme/katana; to add it:", OTHERS),
        ("go", {"github.com/acme/kata"}, "package kata/maths is not in GOROOT (/usr/lib/go/src/kata/maths)", OTHERS),
        ("go", {"kata"}, "package kata/maths is not in GOROOT (/usr/lib/go/src/kata/maths)", OWN),
        ("php", PHP, 'Error: Class "Acme\\Kata\\Money" not found', OWN),
        ("go", {"github.com/acme/lib"}, "module github.com/acme/lib@latest found (v0.0.0, replaced by ./lib), but does not contain package"
         " github.com/acme/lib/maths", OWN),
        ("go", {"github.com/acme/kata"}, "module github.com/acme/lib@latest found (v1.2.0), but does not contain package github.com/acme/lib/x",
         OTHERS),
        ("go", {"kata"}, "unknown field 'Name' in struct literal of type Stack", OWN),
        ("go", {"kata"}, "unknown field Name in struct literal of type Stack", OWN),
        ("go", {"kata"}, "cannot use Square{} (value of type Square) as Shape value in variable declaration: Square does not implement Shape"
         " (missing method Area)", OWN),
        ("go", {"kata"}, "cannot use 1 as Shape value in argument to F: int does not implement Shape (missing method Area)", Reason.EXCEPTION),
        ("javascript", {"@app/"}, "Cannot find module '@app/maths' from 'a.test.ts'", OWN),
        ("javascript", {"@app/"}, "Cannot find module '@apple/maths' from 'a.test.ts'", OTHERS),
        ("javascript", {"@app/"}, 'Failed to resolve import "@app/maths" from "a.test.ts". Does the file exist?', OWN),
        ("javascript", set(), "Could not locate module @app/maths mapped as:\n/x/src/$1.", OWN),
        ("javascript", set(), "Could not locate module react mapped as:\n/x/node_modules/preact.", Reason.UNKNOWN),
        ("javascript", set(), "TS2724: '\"../src/maths\"' has no exported member named 'two'. Did you mean 'one'?", OWN),
        ("javascript", set(), "TS1192: Module '\"./maths\"' has no default export.", OWN),
        ("javascript", set(), "TS2305: Module '\"lodash\"' has no exported member 'two'.", OTHERS),
        ("javascript", set(), "TS2353: Object literal may only specify known properties, and 'unit' does not exist in type 'Money'.", OWN),
        ("javascript", set(), "TypeError: money is not iterable", OWN),
        ("javascript", set(), "TypeError: undefined is not iterable (cannot read property Symbol(Symbol.iterator))", Reason.EXCEPTION),
        ("php", PHP, 'Error: Class "Money" not found', OWN),
        ("php", PHP, 'Error: Class or interface "Acme\\Kata\\Repo" does not exist', OWN),
        ("php", PHP, 'Error: Class or interface "GuzzleHttp\\Client" does not exist', OTHERS),
        ("php", PHP, "Error: Undefined property: Acme\\Kata\\Money::$amount", OWN),
        ("php", PHP, "Error: Undefined property: stdClass::$amount", Reason.EXCEPTION),
        ("php", PHP, "Error: Cannot access private property Acme\\Kata\\Money::$n", OWN),
        ("php", PHP, 'Error: Class "GuzzleHttp\\Client" not found', OTHERS),
        ("php", PHP, 'Error: Class "Acme\\Other\\Client" not found', OTHERS),
        ("php", set(), 'Error: Class "Acme\\Other\\Client" not found', OWN),
        ("php", set(), 'Error: Class "GuzzleHttp\\Client" not found', OTHERS),
        ("javascript", {"@acme/kata"}, "Cannot find package '@acme/kata' imported from test/a.mjs", OWN),
        ("javascript", {"@acme/kata"}, "Cannot find package '@acme/other' imported from test/a.mjs", OTHERS),
        ("javascript", {"@acme/kata"}, "Cannot find module '@acme/kata/maths' from 'a.test.js'", OWN),
        ("javascript", {"@acme/kata"}, "The requested module '@acme/kata' does not provide an export named 'double'", OWN),
        ("javascript", {"@acme/kata"}, "The requested module 'lodash' does not provide an export named 'double'", OTHERS),
        ("javascript", {"kata"}, "Package subpath './maths' is not defined by \"exports\" in package.json", OWN),
        ("javascript", {"kata"}, "Package subpath './x' is not defined by \"exports\" in node_modules/y/package.json", OTHERS),
        ("ruby", {"acme"}, "LoadError: cannot load such file -- acme/kata/money", OWN),
        ("ruby", {"acme"}, "LoadError: cannot load such file -- faraday", OTHERS),
        ("perl", {"t"}, "Can't locate Double.pm in @INC (you may need to install the Double module)", OWN),
        ("perl", {"t"}, "Can't locate Math.pm in @INC (you may need to install the Math module)", OWN),
        ("perl", {"t"}, "Can't locate Moose/Nothing.pm in @INC (you may need to install", OTHERS),
        ("perl", {"t"}, "Can't locate Path/Tiny.pm in @INC (you may need to install", OTHERS),
        ("perl", {"t"}, "Can't locate Test/Deep.pm in @INC (you may need to install", OTHERS),
        ("perl", {"Test"}, "Can't locate Test/Deep.pm in @INC (you may need to install", OWN),
        ("perl", {"t"}, "Undefined subroutine &List::Util::nothing called", OTHERS),
        ("perl", {"t"}, 'Can\'t locate object method "shout" via package "Greet" (perhaps', OWN),
        ("perl", {"t"}, 'Can\'t locate object method "new" via package "LWP::UserAgent" (perhaps', OTHERS),
        ("lua", {"spec"}, "module 'kata.double' not found:\nno field package.preload", OWN),
        ("lua", {"spec"}, "module 'socket.http' not found:\nno field package.preload", OTHERS),
        ("lua", {"spec"}, "attempt to call a nil value (field 'double')", OWN),
        ("lua", {"spec"}, "attempt to call field 'double' (a nil value)", OWN),
        ("elixir", {"lib"}, "module Double is not loaded and could not be found", OWN),
        ("elixir", {"lib"}, "module Mox.Nothing is not loaded and could not be found", OTHERS),
        ("elixir", {"lib"}, "module Kata.Money is not loaded and is being defined", OWN),
        ("shell", {"lib"}, "bats_load_safe: Could not find 'test/../lib/double.sh'[.bash]", OWN),
        ("shell", {"lib"}, "bats_load_safe: Could not find 'test/test_helper/bats-assert/load'[.bash]", OTHERS),
        ("shell", {"lib"}, "bats_load_safe: Could not find '/usr/lib/nothing/load'[.bash]", OTHERS),
        ("shell", {"lib"}, "test/double.bats: line 9: lib/none.sh: No such file or directory", OWN),
        ("shell", {"lib"}, "test/double.bats: line 9: /opt/none.sh: No such file or directory", OTHERS),
        ("shell", {"lib"}, "test/double.bats: line 9: ./bin/double: No such file or directory", OWN),
        ("shell", {"lib"}, "test/double.bats: line 9: double: command not found", OWN),
        ("shell", {"lib"}, "test/double.bats: line 9: jq: command not found", OTHERS),
        ("shell", {"lib"}, "test/double.bats: line 9: assert_output: command not found", OTHERS),
        ("csharp", {"Acme"}, "CS0246: The type or namespace name 'Twice' could not be found (are you missing", OWN),
        ("csharp", {"Acme"}, "CS0246: The type or namespace name 'Moq' could not be found (are you missing", OTHERS),
        ("csharp", {"Acme"}, "CS0234: The type or namespace name 'Maths' does not exist in the namespace 'Acme'", OWN),
        ("csharp", {"Acme"}, "CS0234: The type or namespace name 'Maths' does not exist in the namespace 'System'", OTHERS),
        ("csharp", {"Acme"}, "CS0246: The type or namespace name `Foo' could not be found. Are you missing an assembly reference?", OWN),
        ("csharp", {"Acme"}, "CS0103: The name `Twice' does not exist in the current context", OWN),
        ("csharp", {"Acme"}, "CS0103: The name `nope' does not exist in the current context", Reason.EXCEPTION),
        ("csharp", {"Acme"}, "CS0117: `Acme.Greet' does not contain a definition for `Shout'", OWN),
        ("csharp", {"Acme"}, "CS1002: ; expected", Reason.SYNTAX),
        ("csharp", {"Acme"}, "CS0117: 'Greet' does not contain a definition for 'Shout'", OWN),
        ("ruby", {"acme"}, "NameError: uninitialized constant Acme::Money", OWN),
    ],
)  # fmt: skip
def test_whose_a_missing_name_is(language: str, project: set[str], said: str, reason: Reason) -> None:
    error = BuildError(said, "tests/a_test.x", 1)
    if language == "php":
        case = Case("t", "t", Outcome.ERROR, "tests/ATest.php", 3, said.removeprefix("Error: "), "Error")
        judged = red_reason(case, language=language, project=Project(frozenset(project)))
    else:
        judged = red_reason(None, language=language, project=Project(frozenset(project)), error=error)
    assert judged.reason is reason, judged


@pytest.mark.parametrize(
    ("include", "reason"),
    [
        ('"queue.h"', OWN),
        ("<kata/queue.h>", OWN),
        ("<curl/curl.h>", OTHERS),
        ("<queue.h>", OWN),
        ("<zlib.h>", OTHERS),
        ('"gtest/gtest.h"', OTHERS),
    ],
)
def test_a_header_of_a_folder_between_angle_brackets_is_the_projects_only_if_it_is_known(
    include: str, reason: Reason
) -> None:
    name = include.strip('<>"')
    for language in ("c", "c++", ""):
        text = (
            f"tests/a.c:1:10: fatal error: {name}: No such file or directory\n"
            f"    1 | #include {include}\n      |          ^~~\n"
        )
        (error,) = read(text.encode(), exit_code=2).build_errors
        judged = red_reason(None, language=language, project=Project(frozenset({"kata"})), error=error)
        assert judged.reason is reason


def test_a_header_that_anothers_header_lacks_is_not_the_projects() -> None:
    error = BuildError("cstddef: No such file or directory", "/usr/include/gtest/gtest.h", 52)
    judged = red_reason(None, language="c", project=Project(frozenset({"kata"})), error=error)
    assert judged.reason is OTHERS


def test_a_linkers_words_are_known_without_a_language() -> None:
    error = BuildError("undefined reference to `two'")
    judged = red_reason(None, language="", project=Project(frozenset({"kata"})), error=error)
    assert judged.reason is OWN
