"""What the witnesses in a Python test runner share: their voice, and an eye on functions that may not change.

Copied beside a witness under its random name, and loaded by it. It needs nothing but Python 3.6.
"""

import builtins
import importlib
import json
import os
import re
import sys
import time
import types
from typing import Any

_tools = importlib.import_module(__name__ + "_tools")
_tools.settle(globals())
INSTALLED, borrowed, settle = _tools.INSTALLED, _tools.borrowed, _tools.settle
_write, _getpid = os.write, os.getpid
_made = json.encoder.c_make_encoder  # type: ignore[attr-defined]
ENCODER = () if _made else ("json.encoder",)  # what may not be changed: C looks nothing up in it again
_parts: Any = (
    _made(None, str, json.encoder.encode_basestring_ascii, None, ": ", ", ", False, False, True)
    if _made
    else json.JSONEncoder().iterencode
)
_TEST = re.compile(r"(?:^|[/\\])(?:test_[^/\\]*|[^/\\]*_test)\.py$")
_GUARDED = re.compile(
    r"[/\\](?:site|dist)-packages[/\\]|[/\\]_?pytest[/\\]|[/\\]unittest[/\\]|" + _TEST.pattern
)
_NESTED = 0x10  # inspect.CO_NESTED
_COROUTINE = types.coroutine.__code__  # gives the very same code another flag


def cut(text: Any, limit: Any) -> Any:
    return text if len(text) <= limit else text[: limit // 2] + "\n[...]\n" + text[-(limit // 2) :]


def facts_of(value: Any, traceback: Any) -> Any:
    """Type, message and frames of an exception; the frames are (file, line, function), the innermost last."""
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append([code.co_filename, traceback.tb_lineno, code.co_name])
        traceback = traceback.tb_next
    try:
        message = str(value)
    except Exception as error:  # noqa: BLE001 - whatever an object of the project's raises
        message = "its message could not be made: " + type(error).__name__
    facts = {
        "exc": type(value).__name__,
        "msg": cut(message, 2000),
        "frames": frames[:2] + frames[2:][-18:],
    }
    if isinstance(value, AssertionError):
        facts["assertion"] = True
    if isinstance(value, SyntaxError):
        facts["frames"].append([str(value.filename or ""), value.lineno or 0, ""])
    return facts


def _set(variables: Any) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


class Voice:
    """One JSON object a line, each with the run's nonce and its number, into a file of this process alone.

    The orders are read from the file that TDD_WITNESS names, and the environment is put back as the user has it: what
    tests start must not find the witness.
    """

    def __init__(self) -> None:
        self.orders: Any = None
        self.descriptor = -1
        self.number = 0
        self.pid = _getpid()
        where = os.environ.pop("TDD_WITNESS", "")
        if where:
            with open(where, encoding="utf-8") as file:
                self.orders = json.load(file)
            self._open()
            self._carried = {
                "TDD_WITNESS": where,
                **{name: os.environ.get(name) for name in self.orders["restore"]},
            }
            _set(self.orders["restore"])

    def _open(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        path = os.path.join(self.orders["folder"], f"{time.time() * 1e9:.0f}-{self.pid}.jsonl")
        self.descriptor = os.open(path, flags, 0o600)

    def again(self) -> None:
        """In a process that was forked off: with a file of its own."""
        os.close(self.descriptor)
        self.pid, self.number = _getpid(), 0
        self._open()

    def hand_on(self) -> None:
        """The program that takes this one's place is to find the witness as this one did."""
        if self.orders is not None:
            _set(self._carried)

    def say(self, kind: Any, **facts: Any) -> None:
        if self.descriptor < 0 or _getpid() != self.pid:
            return
        facts.update(t=kind, n=self.orders["nonce"], i=self.number)
        self.number += 1
        data = ("".join(_parts(facts, 0)) + "\n").encode("ascii", "replace")
        while data:
            data = data[_write(self.descriptor, data) :]


_HEARD = {
    "object.__setattr__", "exec", "code.__new__", "function.__new__",
    "sys.settrace", "sys.setprofile", "sys.monitoring.register_callback",
}  # fmt: skip
_watching: Any = []  # who is told of functions that got other code
_loaded: Any = set()  # files of tests whose code was run
_loaders: Any = set()  # the kinds of loaders that were looked at


def _audited(event: Any, given: Any) -> None:
    """Python tells it of itself, and nobody can take the listener away. No method: it is called some thousand times a run,
    and would take twice as long."""
    if event not in _HEARD:
        return
    if event == "object.__setattr__":
        if given[1] == "__code__":
            code = given[0].__code__
            made = code.co_flags & _NESTED or sys._getframe(1).f_code is _COROUTINE
            if _GUARDED.search(code.co_filename) and not made:
                _note("the code of " + code.co_name)
    elif event == "exec":
        code = given[0]
        if getattr(code, "co_name", "") == "<module>" and _TEST.search(code.co_filename):
            _loads(code, sys._getframe(1))
    elif event == "code.__new__":
        maker = sys._getframe(1).f_code
        if (
            _TEST.search(given[1] or "")
            and maker is not _COROUTINE
            and not re.search(INSTALLED, maker.co_filename)
        ):
            _note("code that was made for a file of tests")
    elif event == "function.__new__":
        if given[0].co_name == "<module>" and _TEST.search(given[0].co_filename):
            _note("a function that was made of a file of tests")
    else:
        _note_by(event, sys._getframe(1).f_code.co_filename)


def _loads(code: Any, frame: Any) -> None:
    """A file of tests is run once, by Python or the runner, and not by a loader of the project's."""
    if code.co_filename in _loaded:
        _note("tests that were loaded twice from one file")
    _loaded.add(code.co_filename)
    if frame.f_code.co_name == "_call_with_frames_removed":
        frame = frame.f_back
    _note_by("loading tests", frame.f_code.co_filename)
    loader = type(frame.f_locals.get("self"))
    for kind in () if loader in _loaders else loader.__mro__[:-1]:
        for function in vars(kind).values():
            if type(function) is types.FunctionType:
                _note_by("loading tests", function.__code__.co_filename)
    _loaders.add(loader)


def _note_by(what: Any, file: Any) -> None:
    for watch in _watching:
        near = _tools.production(file, watch.root)
        if near:
            watch.note([what + " by " + near])


def _note(name: Any) -> None:
    for watch in _watching:
        watch.note([name])


def _code(value: Any) -> Any:
    """The code of a function, of what wraps one in a class, or of a property; None of anything else."""
    return getattr(_tools.runs(value), "__code__", None)


class Watch:
    """Functions and classes of some modules, by name, with their code; ``patched``: names of what was changed, in order."""

    def __init__(self, modules: Any, but: Any = ()) -> None:
        self.patched: Any = {}
        self.root = os.getcwd()
        self._tools = _tools.Tools()
        self._modules = modules
        self._but = but
        self._before: Any = []  # (name, whose names it is among, its name there, itself, its code)
        _watching.append(self)
        if hasattr(sys, "addaudithook"):
            sys.addaudithook(_audited)

    def note(self, names: Any) -> None:
        self.patched.update(dict.fromkeys(names))

    def look(self) -> None:
        """Before anything of the project's is loaded: so the runner looks when it is itself."""
        builtin = vars(builtins)
        self._before = [("builtins.AssertionError", builtin, "AssertionError", AssertionError, None)]
        for key in ("_write", "_getpid", "_made", "_parts"):
            self._before.append((__name__ + "." + key, globals(), key, globals().get(key), None))
        for name in self._modules:
            if name in sys.modules:
                self._before.append((name, sys.modules, name, sys.modules[name], None))
                self._learn(vars(sys.modules[name]), name, name)
        self._tools.look()

    def look_at_tools(self) -> None:
        """When the tests were loaded, and at the end."""
        self.note(self._tools.changed(self.root))

    def asserts_of(self, case: Any) -> Any:
        return _tools.of_a_test(case, self.root)

    def look_again(self) -> None:
        self.look_at_tools()
        self.note(
            name
            for name, names, key, value, code in self._before
            if not _same(names.get(key), value, code) and name not in self._but
        )

    def _learn(self, names: Any, path: Any, module: Any = None) -> None:
        """What the project's code may not change: the functions of the runner and of the witness, and its classes with theirs."""
        for key, value in list(names.items()):
            code = _code(value)
            own = code is None and module is not None and isinstance(value, type)
            if code is not None or (own and value.__module__ == module):
                self._before.append((path + "." + key, names, key, value, code))
                if code is None:
                    self._learn(vars(value), path + "." + key)


def _same(now: Any, value: Any, code: Any) -> Any:
    """A wrapper made anew around the very same function changes nothing."""
    if now is not value and (code is None or _tools.runs(now) is not _tools.runs(value)):
        return False
    return code is None or _code(now) is code
