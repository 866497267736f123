"""Production code that saves one test in its own process: what the witness sees twice cannot be said once."""

from __future__ import annotations

import pytest

from tdd_orchestrator.model.report import CHANGED, RunVerdict

TEST = "from kata import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n"
ADD = "def add(a, b):\n    {}\n    return 0\n"
_ITEM = "import inspect\n\n\ndef up(name):\n    return next(f.frame.f_locals[name] for f in inspect.stack() if name in f.frame.f_locals)\n\n\n"
_SWAP = (
    "import sys, threading, time\n\n\ndef go():\n    while 'test_adds' not in vars(sys.modules.get('test_kata', sys)):\n        time.sleep(0.001)\n"
    "    fresh = {}\n    exec(compile('def test_adds(): pass', 'test_kata.py', 'exec'), fresh)\n"
    "    sys.modules['test_kata'].test_adds.__code__ = fresh['test_adds'].__code__\n\n\nthreading.Thread(target=go).start()\n"
)
_AT_END = (
    "import sys, types\n\n\ndef at_end(frame, event, _):\n"
    "    if event == 'return' and frame.f_code.co_name == '<module>' and frame.f_globals['__name__'] == 'test_kata':\n"
    "        sys.setprofile(None)\n        {}\n\n\nsys.setprofile(at_end)\n\n\ndef add(a, b):\n    return 0\n"
)
CHEATS = {
    "the exception is lost once": ADD.format(
        "import _pytest.runner as r, _pytest.outcomes as o\n    kept = r.ExceptionInfo\n"
        "    class Nothing:\n        value, tb = o.Skipped('x'), None\n        def __bool__(self):\n            return False\n"
        "    class Once:\n        @staticmethod\n        def from_current():\n            r.ExceptionInfo = kept\n"
        "            return Nothing()\n    r.ExceptionInfo = Once"
    ),
    "the report forgets it once": ADD.format(
        "import _pytest.reports as r\n    kept = r.TestReport.__dict__['from_item_and_call']\n"
        "    def once(cls, item, call):\n        r.TestReport.from_item_and_call, call.excinfo = kept, None\n"
        "        return kept.__get__(None, cls)(item, call)\n    r.TestReport.from_item_and_call = classmethod(once)"
    ),
    "the item runs nothing": _ITEM
    + "session = up('session')\ngenerate = session.genitems\n\n\ndef items(node):\n    for item in generate(node):\n"
    "        if item.name == 'test_adds':\n            item.runtest = lambda: None\n        yield item\n\n\nsession.genitems = items\n\n\n"
    + ADD.format("pass"),
    "a plug-in before the tests run": _ITEM
    + "class P:\n    @staticmethod\n    def pytest_pyfunc_call(pyfuncitem):\n        return True if pyfuncitem.name == 'test_adds' else None\n\n\n"
    "up('session').config.pluginmanager.register(P)\n\n\n" + ADD.format("pass"),
    **{
        f"a plug-in that says it is {file}": _ITEM
        + "import os, pluggy\n\n\nclass P:\n    pass\n\n\nspace = {}\n"
        + f"exec(compile('def hook(pyfuncitem):\\n    return pyfuncitem.name == \"test_adds\" or None', {file}, 'exec'), space)\n"
        + "P.pytest_pyfunc_call = staticmethod(space['hook'])\nup('session').config.pluginmanager.register(P)\n\n\n"
        + ADD.format("pass")
        for file in ("'conftest.py'", "pluggy.__file__")
    },
    "another function in its place": _SWAP.replace(
        "    sys.modules['test_kata'].test_adds.__code__ = fresh['test_adds'].__code__\n",
        "    sys.modules['test_kata'].test_adds = lambda: None\n",
    ) + "\n\ntime.sleep(0)\n" + ADD.format("pass"),
    "another test by its name, in its file": _AT_END.format(
        "exec(compile('def test_adds(): pass', frame.f_code.co_filename, 'exec'), frame.f_globals)"
    ),
    "another test by its name, of a code made for it": _AT_END.format(
        "frame.f_globals['test_adds'] = types.FunctionType((lambda: None).__code__.replace(\n"
        "            co_name='test_adds', co_filename=frame.f_code.co_filename), {}, 'test_adds')"
    ),
    "what a report says of itself": ADD.format(
        "import _pytest.reports as r\n    r.BaseReport.failed = property(lambda self: False)"
    ),
    "the test's own code": _SWAP + ADD.format("pass"),
    "its module gives another": (
        "import functools, sys, types\n\n\ndef quiet(inner):\n    try:\n        inner()\n    except Exception:\n        pass\n\n\n"
        "class Lazy(types.ModuleType):\n    def __getattribute__(self, name):\n        found = super().__getattribute__(name)\n"
        "        return functools.partial(quiet, found) if name == 'test_adds' else found\n\n\n"
        "sys.modules['test_kata'].__class__ = Lazy\n\n\n" + ADD.format("pass")
    ),
    "the witness's lines are other ones": ADD.format(
        "import json.encoder as e\n    kept = e.JSONEncoder.iterencode\n"
        "    def lie(self, facts, _one_shot=False):\n        facts = {**facts, 'outcome': 'passed'} if 'test_adds' in str(facts.get('id')) else facts\n"
        "        return kept(self, facts, _one_shot)\n    e.JSONEncoder.iterencode = lie"
    ),
    "the witness writes other lines": ADD.format(
        "import sys\n    for name, one in list(sys.modules.items()):\n        if name[0] == 'w' and name.endswith('_shared'):\n"
        "            kept = one._write\n            one._write = lambda to, data: kept(to, data.replace(b'\"failed\"', b'\"passed\"'))"
    ),
    "a marked test is another": _AT_END.format("frame.f_globals['test_adds'] = lambda: None"),
    "its module gives what another thread calls": (
        "import functools, sys, types\nfrom concurrent.futures import ThreadPoolExecutor\n\n\nclass Lazy(types.ModuleType):\n"
        "    def __getattribute__(self, name):\n        found = super().__getattribute__(name)\n"
        "        return functools.partial(ThreadPoolExecutor().submit.__func__, ThreadPoolExecutor(), found) if name == 'test_adds' else found\n\n\n"
        "sys.modules['test_kata'].__class__ = Lazy\n\n\n" + ADD.format("pass")
    ),
}  # fmt: skip
LATER = {
    "a later one is wrapped": "one.obj = functools.partial(quiet, one.obj)",
    "a later one is another": "one.obj = lambda: None",
    "a later one is the first": "one.obj = up('session').items[0].obj",
    "a later one is another's, of a file of tests": (
        "one.obj = eval(compile('lambda: None', one.obj.__code__.co_filename.replace('test_kata', 'conftest'), 'eval'))"
    ),
    "a later one asserts another number": (
        "consts = one.obj.__code__.co_consts; four = 0\n"
        "            ctypes.c_void_p.from_address(id(consts) + 24 + 8 * consts.index(3)).value = id(four)"
    ),
}
_LATER = (
    _ITEM + "import ctypes, functools\n\n\ndef quiet(inner):\n    try:\n        inner()\n    except Exception:\n        pass\n\n\n"
    "def first():\n    for one in up('session').items:\n        if one.name == 'test_adds':\n            {}\n\n\n" + ADD.format("pass")
)  # fmt: skip


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_for_one_test_is_told_or_fails(write, drive, cheat):
    marked = "import pytest\n" + TEST.replace("def ", "@pytest.mark.filterwarnings('ignore')\ndef ")
    test = marked if "marked" in cheat else TEST
    ran = drive(write({"kata.py": CHEATS[cheat], "test_kata.py": test}), near="test_kata.py")
    told = [one for one in ran.report.disagreements if one.startswith(CHANGED)]
    assert told or ran.report.verdict is RunVerdict.FAILED, ran.report


@pytest.mark.parametrize("cheat", LATER)
def test_an_earlier_test_cannot_make_a_later_one_another(write, drive, cheat):
    first = "from kata import first\n\n\ndef test_first():\n    first()\n"
    ran = drive(
        write({"kata.py": _LATER.format(LATER[cheat]), "test_first.py": first, "test_kata.py": TEST}),
        near="test_kata.py",
    )
    told = [one for one in ran.report.disagreements if one.startswith(CHANGED)]
    assert told or ran.report.verdict is RunVerdict.FAILED, ran.report


def test_a_plug_in_that_lies_in_the_tree_is_told(write, drive):
    """An entry point beside the code: pytest itself loads it, before anything of the project."""
    tree = write(
        {
            "kata-1.dist-info/entry_points.txt": "[pytest11]\nmore = more\n",
            "kata-1.dist-info/METADATA": "Name: kata\nVersion: 1\n",
            "more.py": "def pytest_pyfunc_call(pyfuncitem):\n    return True if pyfuncitem.name == 'test_a' else None\n",
            "test_a.py": "def test_a():\n    assert 0\n",
        }
    )
    ran = drive(tree, near="test_a.py", env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": ""})
    assert [one for one in ran.report.disagreements if one.startswith(CHANGED) and "more.py" in one]


HONEST = {
    "conftest.py": (
        "import pytest\n\npytest_plugins = ['anyio.pytest_plugin']\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    yield\n\n\n"
        "def pytest_pyfunc_call(pyfuncitem):\n    return None\n"
    ),
    "kata.py": (
        "import functools\n\n\ndef plain(test):\n    return test\n\n\ndef times(n):\n    def made(test):\n        def run():\n"
        "            test()\n        return run\n    return made\n"
    ),
    "recipes.py": (
        "import json\nimport os\n\nkept, wrote = json.JSONEncoder.default, os.write\n\n\ndef default(self, value):\n"
        "    return getattr(value, '__json__', lambda: kept(self, value))()\n\n\njson.JSONEncoder.default = default\n"
        "os.write = lambda descriptor, data: wrote(descriptor, data)\n\n\nimport builtins, functools, sys\n\n"
        "builtins.print = functools.partial(print, flush=True)\nbuiltins._ = lambda text: text\n\n\n"
        "class Lazy:\n    def find_spec(self, name, path, target=None):\n        return None\n\n\nsys.meta_path.insert(0, Lazy())\n\n\n"
        "def checked(one):\n    return one\n"
    ),
    "more_of_tests.py": (
        "from unittest import mock\nfrom unittest.mock import call\n\nfrom recipes import checked as seen\n\n\n@seen\ndef same(a, b):\n    assert a == b\n\n\n"
        "def other(a, b):\n    assert a == b\n"
    ),
    "test_tools.py": (
        "import math\nimport time\nfrom unittest import mock\nfrom unittest.mock import call\n\nimport more_of_tests\nimport pytest\n\n\n"
        "def test_patches(monkeypatch):\n    monkeypatch.setattr(math, 'isclose', lambda *a: True)\n    monkeypatch.setattr('builtins.sorted', print)\n"
        "    with mock.patch('ast.parse'), mock.patch.object(time, 'time', return_value=0), mock.patch('pytest.raises'):\n"
        "        assert math.isclose(1, 2)\n    more_of_tests.other = lambda a, b: None\n\n\n"
        "def test_input():\n    import builtins\n    builtins.input = lambda _='': '5'\n    builtins.sum = lambda given: 5\n\n\n"
        "def test_says():\n    said = mock.Mock(**{'a.return_value': 1})\n    said(1)\n    assert said.mock_calls == [call(1)]\n"
    ),
    "test_recipes.py": "import json\nimport recipes\n\n\ndef test_json():\n    assert json.dumps({1: 2}) == '{\"1\": 2}'\n",
    "helpers_of_tests.py": (
        "def again(test):\n    def inner():\n        test()\n        test()\n\n    inner.__name__ = test.__name__\n    return inner\n"
    ),
    "test_made.py": (
        "import functools\nfrom unittest import mock\n\nimport kata\nimport pytest\nfrom helpers_of_tests import again\n\n\n"
        "@kata.times(2)\ndef test_of_code():\n    pass\n\n\n@again\ndef test_again():\n    pass\n\n\n"
        "def check(n, m):\n    assert n == m\n\n\ntest_partial = functools.partial(check, 1, 1)\n\n\nclass Call:\n    def __init__(self, test):\n        functools.update_wrapper(self, test)\n\n"
        "    def __call__(self):\n        self.__wrapped__()\n\n\n@Call\ndef test_called():\n    pass\n\n\ntest_lambda = lambda: check(1, 1)\n\n\n@mock.patch('os.getcwd')\ndef test_mocked(_):\n    pass\n\n\n"
        "@mock.patch('os.getcwd')\nclass TestMocked:\n    def test_one(self, _):\n        pass\n\n    test_two = functools.partialmethod(lambda self, n, _: None, 1)\n\n\n"
        "@pytest.fixture\ndef wrapped(request):\n    kept = request.node.obj\n    request.node.obj = lambda wrapped: kept(wrapped)\n\n\n"
        "def test_wrapped_by_its_fixture(wrapped):\n    pass\n\n\n@pytest.mark.anyio\n@pytest.mark.parametrize('anyio_backend', ['asyncio'])\n"
        "async def test_awaits(anyio_backend):\n    pass\n"
    ),
    "test_given.py": (
        "from hypothesis import given, strategies as st\nfrom kata import plain\n\n\n"
        "@given(st.integers())\ndef test_given(n):\n    assert n == n\n\n\n@plain\ndef test_plain():\n    pass\n"
    ),
    "test_honest.py": (
        "import functools\nimport unittest\n\nimport pytest\n\n\ndef twice(test):\n    @functools.wraps(test)\n    def run():\n"
        "        test()\n        test()\n    return run\n\n\n@twice\ndef test_wrapped():\n    pass\n\n\n"
        "@pytest.mark.xfail\ndef test_later():\n    assert 0\n\n\ndef test_skipped():\n    pytest.skip('later')\n\n\n"
        "@pytest.mark.parametrize('n', [1, 2])\ndef test_more(n):\n    with pytest.raises(ValueError):\n        raise ValueError\n\n\n"
        "class Case(unittest.TestCase):\n    def test_of_unittest(self):\n        self.assertEqual(1, 1)\n\n"
        "    @unittest.expectedFailure\n    def test_expected(self):\n        self.fail()\n\n"
        "    def test_skips(self):\n        self.skipTest('later')\n\n\n"
        "def test_replaces_code():\n    def one(): return 1\n    def two(): return 2\n    one.__code__ = two.__code__\n    assert one() == 2\n\n\n"
        "import types\n\n\n@types.coroutine\ndef waits():\n    yield\n\n\ndef test_waits():\n    assert waits()\n"
    ),
}  # fmt: skip


def test_nothing_is_told_of_an_honest_suite(write, drive):
    ran = drive(write(HONEST), near="test_honest.py")
    assert (ran.report.verdict, ran.control, ran.report.disagreements) == (RunVerdict.PASSED, True, ())
    assert ran.report.counts is not None
    assert (ran.report.counts.passed, ran.report.counts.skipped, ran.report.counts.xfailed) == (22, 2, 2)


@pytest.mark.parametrize("mode", ["prepend", "importlib"])
def test_a_suite_whose_files_are_read_for_doctests_as_well_is_honest(write, drive, mode):
    tree = write(
        {
            **HONEST,
            "test_more.py": 'def helper():\n    """\n    >>> 1\n    1\n    """\n\n\ndef test_more():\n    pass\n',
        }
    )
    words = (
        "python",
        "-m",
        "pytest",
        "-q",
        "--doctest-modules",
        f"--import-mode={mode}",
        "-p",
        "no:randomly",
    )
    ran = drive(tree, words, near="test_honest.py", env={"PYTHONPATH": str(tree)})
    assert (ran.report.verdict, ran.report.disagreements) == (RunVerdict.PASSED, ()), ran.output
