"""Whose code an exception was raised in: the project's own is a proper RED, the test's own is not (S3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tdd_orchestrator.languages.source import calls_up_to, find_tests
from tdd_orchestrator.model.report import BuildError, Case, Outcome, Reason
from tdd_orchestrator.runners.reason_frames import Layout, Origin, frames_in
from tdd_orchestrator.runners.reasons import Project, red_reason

TESTS = ("tests/", "test/", "spec/", "src/test/", "kata_test.go")
PATHS = (
    "kata.py", "tests/test_kata.py", "tests/helpers.py", "kata.js", "test/kata.test.js", "kata.go", "kata_test.go", "src/lib.rs",
    "tests/kata.rs", "lib/kata.rb", "spec/kata_spec.rb", "src/Kata.php", "tests/KataTest.php",
    "lib/Kata.pm", "src/main/java/com/acme/Kata.java", "src/test/java/com/acme/KataTest.java", "lib/kata.ex", "test/kata_test.exs", "Kata.cs",
)  # fmt: skip
LAYOUT = Layout(frozenset(PATHS), lambda path, line: path.startswith(TESTS))
PYTHON = "tests/test_kata.py:4: in test_first\n    assert first([]) is None\n"
LONG = (  # pytest prints the first and the last frame in full, and those between in short
    "    assert made(3)\n\ntests/test_kata.py:4: \n_ _ _ _\n"
    "/usr/lib/python3.11/unittest/mock.py:2720: in create_autospec\n    mock = Klass()\n_ _ _ _\n\n"
    ">       raise TypeError(x)\nE       TypeError: x\n\n{}\n"
)
DOUBLE = f"{PYTHON}kata.py:2: in each\ntests/test_kata.py:{{}}: in double\n"
DOUBLES = "\n" * 6 + "        raise OSError()\n\n        return self.answers[key]\n"
JAVA = "java.lang.NullPointerException\n\tat java.base/java.util.Objects.requireNonNull(Objects.java:233)\n"
GO = "panic: boom\n\ngoroutine 7 [running]:\npanic({0x508da0, 0x5fda60})\n\t/usr/lib/go/src/runtime/panic.go:884 +0x212\n"


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        (f"{PYTHON}kata.py:2: in first\n    return xs[0]", Origin.PROJECT),
        (f"{PYTHON}kata.py:2: in first\n/usr/lib/python3.11/json/decoder.py:355: in raw_decode", Origin.PROJECT),
        (f"{PYTHON}/usr/lib/python3.11/json/decoder.py:355: in raw_decode", Origin.TEST),
        (f"{PYTHON}kata.py:2: in each\ntests/test_kata.py:9: in callback", Origin.TEST),
        (f"{PYTHON}tests/helpers.py:2: in made", Origin.TEST),
        (LONG.format("kata.py:2: TypeError"), Origin.PROJECT),
        (LONG.format("tests/helpers.py:2: KeyError"), Origin.TEST),
        (f"{PYTHON}kata.py:2: DeprecationWarning: old", Origin.TEST),
        (f"{PYTHON}kata.py:2: in first\nDuring handling of the above exception, another exception occurred:\n{PYTHON}", Origin.TEST),
        (f"{PYTHON}<kata.Builder-1>:2: in made", Origin.PROJECT),
        (f"{PYTHON}<string>:2: in made", Origin.TEST),
        ('Traceback (most recent call last):\n  File "tests/test_kata.py", line 4, in test_a\n  File "kata.py", line 2, in first', Origin.PROJECT),
        ("TypeError: x\n    at first (kata.js:1:31)\n    at TestContext.<anonymous> (test/kata.test.js:3:50)\n    at node:internal/x:2:3",
         Origin.PROJECT),
        ("TypeError: x\n ❯ kata.js:1:31\n ❯ test/kata.test.js:3:50", Origin.PROJECT),
        ("TypeError: x\n    at Object.<anonymous> (test/kata.test.js:3:50)\n    at new Promise (<anonymous>)", Origin.TEST),
        (f"{GO}kata.Div(...)\n\tkata.go:3\nkata.TestDiv(0xc0?)\n\tkata_test.go:4 +0x12\n", Origin.PROJECT),
        (f"{GO}kata.TestDiv(0xc0?)\n\tkata_test.go:4 +0x12\n", Origin.TEST),
        ("thread 'none' panicked at src/lib.rs:1:60:\ncalled `Option::unwrap()` on a `None` value", Origin.PROJECT),
        ("thread 'none' panicked at 'called `Option::unwrap()`', tests/kata.rs:3:5", Origin.TEST),
        (f"{JAVA}\tat com.acme.Kata.first(Kata.java:5)\n\tat com.acme.KataTest.none(KataTest.java:9)", Origin.PROJECT),
        (f"{JAVA}\tat com.acme.KataTest.none(KataTest.java:9)", Origin.TEST),
        ("NoMethodError: undefined method `name' for nil\n    lib/kata.rb:2:in `first'\n    spec/kata_spec.rb:4:in `block'", Origin.PROJECT),
        ("# ./lib/kata.rb:2:in `first'\n# ./spec/kata_spec.rb:3:in `block'", Origin.PROJECT),
        ("DivisionByZeroError: Division by zero\n\nsrc/Kata.php:2\ntests/KataTest.php:3", Origin.PROJECT),
        ("   at Acme.Kata.First(List`1 xs) in Kata.cs:line 5\n   at Acme.Tests.None() in tests/KataTest.cs:line 9", Origin.PROJECT),
        ("code: assert 1\n(kata 0.1.0) lib/kata.ex:3: Kata.first/1\ntest/kata_test.exs:5: (test)", Origin.PROJECT),
        ("Illegal division by zero at lib/Kata.pm line 6.", Origin.PROJECT),
        ("no stack here", Origin.UNKNOWN),
    ],
)  # fmt: skip
def test_the_innermost_frame_in_the_tree_decides(text: str, origin: Origin) -> None:
    assert LAYOUT.origin(frames_in(text)) is origin


@pytest.mark.parametrize(
    ("exception", "message"),
    [
        ("ZeroDivisionError", "division by zero"),
        ("IndexError", "list index out of range"),
        ("KeyError", "'total'"),
        ("AttributeError", "'NoneType' object has no attribute 'name'"),
        ("kata.CartError", "the cart is empty"),
        ("SyntaxError", "invalid syntax"),
        ("TimeoutError", "timed out"),
        ("AssertionError", ""),
        ("json.decoder.JSONDecodeError", "Expecting value: line 1 column 1 (char 0)"),
    ],
)
def test_any_exception_of_the_projects_own_code_is_a_proper_failure(exception: str, message: str) -> None:
    own = judge(exception, message, ("tests/test_kata.py:4", "kata.py:2"))
    assert (own.reason, own.acceptable) == (Reason.PROJECT_EXCEPTION, True)
    if exception != "AssertionError":
        assert not judge(exception, message, ("tests/test_kata.py:4",)).acceptable


@pytest.mark.parametrize(
    ("exception", "message"),
    [
        ("Failed", "Timeout >1.0s"),
        ("ModuleNotFoundError", "No module named 'yaml'"),
    ],
)
def test_a_time_out_and_a_package_that_is_not_installed_are_none(exception: str, message: str) -> None:
    assert not judge(exception, message, ("tests/test_kata.py:4", "kata.py:2")).acceptable


def judge(exception: str, message: str, frames: tuple[str, ...]):  # type: ignore[no-untyped-def]
    case = Case("t", "t", Outcome.FAILED, "tests/test_kata.py", 4, message, exception, "call", frames=frames)
    return red_reason(case, language="python", project=Project(frozenset({"kata"}), layout=LAYOUT))


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("ModuleNotFoundError: No module named 'tests.carts'", Reason.FIXTURE),
        ("ModuleNotFoundError: No module named 'test_helpers'", Reason.FIXTURE),
        ("ModuleNotFoundError: No module named 'moto'", Reason.THIRD_PARTY),
        ("ImportError: cannot import name 'cart' from 'helpers' (tests/helpers.py)", Reason.FIXTURE),
        ("ModuleNotFoundError: No module named 'kata.carts'", Reason.MISSING_SYMBOL),
        ("ModuleNotFoundError: No module named 'carts'", Reason.MISSING_SYMBOL),
    ],
)
def test_a_helper_of_the_tests_that_is_missing_is_no_proper_failure(message: str, reason: Reason) -> None:
    error = BuildError(message, "tests/test_kata.py", 1)
    project = Project(frozenset({"kata", "tests", "helpers"}), layout=LAYOUT)
    assert red_reason(None, language="python", project=project, error=error).reason is reason


@pytest.mark.parametrize(
    ("name", "acceptable"), [("kata.carts", True), ("moto", False), ("carts", False), ("billing", True)]
)
def test_a_project_of_packages_alone_has_no_new_top_level_module(name: str, acceptable: bool) -> None:
    error = BuildError(f"ModuleNotFoundError: No module named '{name}'", "tests/test_kata.py", 1)
    project = Project(frozenset({"kata", "billing"}), layout=LAYOUT, open=False)
    assert red_reason(None, language="python", project=project, error=error).acceptable is acceptable


def test_a_name_that_the_projects_own_code_lacks_is_not_the_new_tests() -> None:
    error = BuildError("ImportError: cannot import name 'sub' from 'kata' (kata.py)", "kata.py", 1)
    project = Project(frozenset({"kata"}), layout=LAYOUT)
    assert not red_reason(None, language="python", project=project, error=error).acceptable


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("from kata import *", Reason.MISSING_SYMBOL),
        ("from .kata import *", Reason.MISSING_SYMBOL),
        ("from os.path import *", Reason.EXCEPTION),
        ("from kata import first", Reason.EXCEPTION),
    ],
)
def test_a_name_that_a_star_import_lacks_is_the_projects(statement: str, reason: Reason) -> None:
    layout = Layout(frozenset(PATHS), LAYOUT.is_test, text_of=lambda path: statement + "\n")
    error = BuildError("NameError: name 'second' is not defined", "tests/test_kata.py", 3)
    project = Project(frozenset({"kata"}), layout=layout)
    assert red_reason(None, language="python", project=project, error=error).reason is reason


@pytest.mark.parametrize(
    ("line", "origin"),
    [(7, Origin.PROJECT), (9, Origin.TEST)],
    ids=["thrown on purpose", "a mistake of the double's"],
)
def test_what_a_double_throws_is_the_projects_that_called_it(line, origin):
    layout = Layout(frozenset(PATHS), LAYOUT.is_test, text_of=lambda path: DOUBLES)
    assert layout.origin(frames_in(DOUBLE.format(line))) is origin


def test_what_the_test_itself_throws_is_its_own():
    layout = Layout(frozenset(PATHS), LAYOUT.is_test, text_of=lambda path: DOUBLES)
    assert layout.origin(frames_in(f"{PYTHON}tests/helpers.py:7: in made")) is Origin.TEST


CALLS = """
def test_total():
    wanted = {}["sum"]
    cart = make_cart()
    assert cart["total"] == 3
    raise ValueError("later")
"""
OURS = frozenset({"make_cart", "parse", "Parse", "sum"}).__contains__
PLACES = Layout(frozenset(PATHS), LAYOUT.is_test, text_of=lambda path: CALLS, defines=OURS)


@pytest.mark.parametrize(
    ("exception", "line", "reason"),
    [
        ("KeyError", 5, Reason.TEST_EXCEPTION),  # what the project returned has no such key yet
        ("json.decoder.JSONDecodeError", 5, Reason.TEST_EXCEPTION),
        ("KeyError", 3, Reason.EXCEPTION),  # nothing was called before
        ("NameError", 5, Reason.EXCEPTION),
        ("ValueError", 6, Reason.EXCEPTION),  # raised on purpose
    ],
)
def test_an_exception_in_the_test_after_a_call_is_a_proper_failure(exception, line, reason):
    frames = (f"tests/test_kata.py:{line}",)
    case = Case(
        "t", "t", Outcome.FAILED, "tests/test_kata.py", line, "'total'", exception, "call", frames=frames
    )
    judged = red_reason(case, language="python", project=Project(frozenset({"kata"}), layout=PLACES))
    assert (judged.reason, judged.acceptable) == (reason, reason is Reason.TEST_EXCEPTION)


def test_a_test_in_a_decorator_of_the_tests_has_called_too() -> None:
    frames = (
        "tests/test_kata.py:1",
        "tests/test_kata.py:5",
    )  # asyncio's loop between them is not in the tree
    case = Case("t", "t", Outcome.FAILED, "tests/test_kata.py", 5, "", "KeyError", "call", frames=frames)
    assert red_reason(case, language="python", project=Project(layout=PLACES)).reason is Reason.TEST_EXCEPTION


def test_an_exception_of_a_test_double_that_the_project_called_is_a_proper_failure():
    frames = ("tests/test_kata.py:3", "kata.py:2", "tests/test_kata.py:5")
    case = Case("t", "t", Outcome.FAILED, "tests/test_kata.py", 5, "", "StopIteration", "call", frames=frames)
    assert red_reason(case, language="python", project=Project(layout=PLACES)).reason is Reason.TEST_EXCEPTION


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.test.js", "test('a', () => {\n  const r = parse('x');\n  expect(r.a.b).toBe(1);\n});\n", 3),
        ("a_test.go", "func TestA(t *testing.T) {\n\tr := Parse()\n\tif r[0] != 1 {\n\t}\n}\n", 3),
        ("a_spec.rb", "it 'sums' do\n  expect(Kata.sum.total).to eq 3\nend\n", 2),
        (
            "ATest.java",
            "class ATest {\n  @Test\n  void a() {\n    assertEquals(1, parse().get(0));\n  }\n}\n",
            4,
        ),
    ],
)
def test_calls_are_found_in_other_languages(path, text, line):
    assert calls_up_to(text, path, line, OURS)


PY = "import calc\nfrom .shop import cart\n\n\nclass TestIt:\n    def test_a(self, client):\n        {}\n"


@pytest.mark.parametrize(
    ("statement", "counts"),
    [
        ("x = open('/nowhere').read()", False),  # nothing of the project's
        ("x = json.loads('{')", False),
        ("x = calc.parse('1').total", True),
        ("x = cart.get('x')['y']", True),  # bound by a relative import
        ("x = client.get('/').json()['y']", True),  # given by a fixture
        ("x = self.client.get('/').json()['y']", True),
        ("self.assertEqual(len([]), 3)", False),
    ],
)
def test_only_calls_of_the_project_count(statement, counts):
    assert calls_up_to(PY.format(statement), "test_a.py", 7, OURS) is counts


WEB = """const request = require('supertest');
const { Counter } = require('./counter');
const api = request(Counter);
const other = request('http://localhost');

test('a', async () => {
  STATEMENT
});
"""


@pytest.mark.parametrize(
    ("statement", "counts"),
    [
        ("await request(Counter).post('/x').expect(201);", True),
        ("render(<Counter of={3} />);", True),
        ("await api.get('/x').expect(200);", True),  # made of the project's at the top of the file
        ("await other.get('/x').expect(200);", False),
        ("await request('./counter').get('/x').expect(200);", False),  # a word of a string
        ("await request('Counter').get('/x').expect(200);", False),
        ("JSON.rawJSON('{');", False),
        ("require('json5').load('{');", False),
    ],
)
def test_what_a_call_is_given_counts_too(statement, counts):
    assert calls_up_to(WEB.replace("STATEMENT", statement), "a.test.jsx", 7, OURS) is counts


def test_a_table_of_many_names_asks_for_few_of_them():
    asked: set[str] = set()
    rows = ", ".join(f"name_{n}" for n in range(5000))
    text = f"ROWS = check({rows})\n\n\ndef test_a():\n    ROWS.first({rows})\n    {{}}['k']\n"
    layout = Layout(
        frozenset({"test_a.py"}),
        lambda path, line: True,
        (),
        lambda path: text,
        lambda name: bool(asked.add(name)),
    )
    assert not layout.had_called(("test_a.py:6",))
    assert len(asked) <= 100


IN_STEPS = """const request = require('supertest');
const serve = require('..');

describe('a', function () {
  let server;
  before(function () {
    server = createServer();
  });
  it('answers', function (done) {
    request(NAME).get('/').expect(200, done);
  });
});

function createServer() {
  const handle = serve('.');
  return http.createServer(handle);
}
"""


@pytest.mark.parametrize(("name", "counts"), [("server", True), ("another", False)])
def test_what_the_file_makes_of_the_project_in_steps_counts(name, counts):
    text = IN_STEPS.replace("NAME", name)
    assert calls_up_to(text, "test/a.js", 10, lambda name: False) is counts


CLIENT = "from web import TestClient\nfrom kata import total\n\nclient = TestClient({})\n\n\ndef test_a():\n    client.get('/x').json()['k']\n"


@pytest.mark.parametrize(("given", "counts"), [("total", True), ("'total'", False), ("other", False)])
def test_a_client_that_is_made_of_the_project_counts(given, counts):
    text = CLIENT.format(given)
    assert calls_up_to(text, "test_a.py", 8, lambda name: name == "total") is counts


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.test.js", "test('a', () => {\n  expect({}.a.b).toBe(1);\n  parse();\n});\n"),
        ("test_a.py", "def test_a():\n    assert {}['a'] == 1\n    parse()\n"),
        (
            "a_test.go",
            "func TestA(t *testing.T) {\n\tparse(func() {\n\t\tvar m map[string]int\n\t\tm[1] = 2\n\t})\n}\n",
        ),
        ("a.unknown", "x"),
    ],
)
def test_assertions_and_later_calls_are_none(path, text):
    assert not calls_up_to(text, path, 4 if path.endswith(".go") else 2, OURS)


ASYNC = (
    "const express = require('../kata')\n\ntest('answers', done => {\n  const app = express()\n"
    "  request(app).get('/').expect(200, done)\n})\n\ntest('alone', done => {\n  fetch('/').then(done)\n})\n"
)


@pytest.mark.parametrize(
    ("name", "message", "reason"),
    [
        ("answers", "Error: socket hang up", Reason.TEST_EXCEPTION),
        ("alone", "Error: socket hang up", Reason.EXCEPTION),
        ("answers", "ReferenceError: nothing is not defined", Reason.EXCEPTION),
    ],
)
def test_an_exception_without_a_frame_of_ours_counts_where_the_test_calls_the_project(name, message, reason):
    path = "test/kata.test.js"
    layout = Layout(frozenset(PATHS), LAYOUT.is_test, text_of=lambda path: ASYNC)
    test = next(test for test in find_tests(ASYNC, path) if test.name == name)
    stack = f"{message}\n    at Socket.onEnd (node:_http_client:524:25)"
    case = Case(
        name, name, Outcome.FAILED, exception=message.partition(":")[0], message=message, detail=stack
    )
    found = red_reason(case, language="javascript", project=Project(layout=layout), test=test)
    assert found.reason is reason
    assert red_reason(case, language="javascript", project=Project(layout=layout)).reason is Reason.EXCEPTION


def test_a_failure_with_a_message_of_its_own_and_a_place_is_an_assertion():
    case = Case(
        "negative", "negative", Outcome.FAILED, "test/kata.test.js", 67, message="^0.0.3 not satisfied"
    )
    assert red_reason(case, language="javascript", project=Project(layout=LAYOUT)).reason is Reason.ASSERTION
    nowhere = replace(case, line=0)
    assert red_reason(nowhere, language="javascript", project=Project(layout=LAYOUT)).reason is Reason.UNKNOWN


GO_TYPES = """\
package shop

func TestTotal(t *testing.T) {
\tvar limit string = 1
\tif got := Total(2); got != "2.00" {
\t\tt.Fatal(got)
\t}
}
"""


@pytest.mark.parametrize(
    ("path", "text", "line", "message", "reason"),
    [
        ("a_test.go", GO_TYPES, 5, 'invalid operation: got != "2.00" (mismatched types int and untyped string)', Reason.TEST_EXCEPTION),
        ("a_test.go", GO_TYPES, 4, "cannot use 1 (untyped int constant) as string value in variable declaration", Reason.EXCEPTION),
        ("a_test.go", GO_TYPES, 5, "syntax error: unexpected {", Reason.SYNTAX),
        ("tests/a.rs", '#[test]\nfn totals() {\n    assert_eq!(total(2), "2.00");\n}\n', 3, "E0308: mismatched types", Reason.TEST_EXCEPTION),
        ("tests/a.rs", "#[test]\nfn totals() {\n    let limit: &str = 1;\n}\n", 3, "E0308: mismatched types", Reason.EXCEPTION),
        ("ATest.java", 'class ATest {\n  @Test void totals() {\n    String text = Shop.total(2);\n  }\n}\n', 3,
         "incompatible types: int cannot be converted to String", Reason.TEST_EXCEPTION),
        ("a.test.ts", "test('totals', () => {\n  expect(total('2')).toBe('2.00');\n});\n", 2,
         "TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.", Reason.TEST_EXCEPTION),
        ("a.test.ts", "test('totals', () => {\n  total(2).then(check);\n});\n", 2,
         "TS2339: Property 'then' does not exist on type 'number'.", Reason.TEST_EXCEPTION),
        ("a.test.ts", "test('totals', () => {\n  expect(total.unit).toBe('EUR');\n});\n", 2,
         "TS2339: Property 'unit' does not exist on type '(n: number) => number'.", Reason.TEST_EXCEPTION),
        ("a.test.ts", "test('totals', () => {\n  'a'.then();\n  total(2);\n});\n", 2,
         "TS2339: Property 'then' does not exist on type 'string'.", Reason.EXCEPTION),
        ("a_test.go", GO_TYPES.replace('got != "2.00"', "got.Text() != ``"), 5,
         "got.Text undefined (type int has no field or method Text)", Reason.TEST_EXCEPTION),
        ("ATest.cs", 'class ATest {\n  [Fact] public void Totals() {\n    string text = Shop.Total(2);\n  }\n}\n', 3,
         "CS0029: Cannot implicitly convert type 'int' to 'string'", Reason.TEST_EXCEPTION),
        ("a_test.cc", 'TEST(Shop, Totals) {\n  std::string text = total(2);\n}\n', 2,
         "error: cannot convert 'int' to 'std::string' in initialization", Reason.TEST_EXCEPTION),
    ],
)  # fmt: skip
def test_types_that_do_not_fit_what_the_project_gives_are_a_proper_failure(path, text, line, message, reason):
    """A result that becomes a text, a parameter that takes another type: in Python such a test fails by its assertion."""
    layout = Layout(
        frozenset({path}),
        lambda *_: True,
        text_of=lambda _: text,
        defines={"Total", "total", "Shop"}.__contains__,
    )
    error = BuildError(message, path, line)
    found = red_reason(None, language="", project=Project(layout=layout), error=error)
    assert (found.reason, found.acceptable) == (reason, reason is Reason.TEST_EXCEPTION), found
