"""Read the output of unknown runners: home-made suites, crashed programs, missing tools.

This is the last resort, and strict: only a closing line of counts completes a home-made suite.
"""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.choose import any_of
from tdd_orchestrator.testlog.parsers.compilers import BuildWatch
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import JsTrace, Trace
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading, TextRow, signs

_NAMED = re.compile(
    r"^ {0,4}(?:(PASS|PASSED|FAIL|FAILED|SKIP|SKIPPED) ?: |\[ ?(PASS|PASSED|OK|FAIL|FAILED|SKIP"
    r"|SKIPPED) ?\] ?)(\S.*)$"
)
_CURES = tuple(
    (sign, ": Django's parallel runner covers no failing test where tblib is not installed beside it")
    for sign in ("cannot pickle 'traceback' object", "can't pickle traceback objects")
)
_OUTCOMES = {"PASS": Outcome.PASSED, "OK": Outcome.PASSED, "FAIL": Outcome.FAILED, "SKIP": Outcome.SKIPPED}
_ALLOWED = frozenset({
    "test", "tests", "check", "checks", "spec", "specs", "case", "cases", "total", "run", "ran", "passed",
    "pass", "passes", "passing", "failed", "fail", "failures", "failure", "failing", "errors", "error",
    "skipped", "skip", "in", "s", "ms", "sec", "seconds", "of", "out", "results", "result", "summary",
    "and", "all", "done", "finished",
})  # fmt: skip
_EPILOGUE = 12  # lines that may follow the counts of a home-made suite
_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_AFTER = re.compile(
    r"(\d+) (?:(?:test|check|spec|case)s? )?(pass|fail|error|skip)(?:ed|es|ing|ures?|s|ped)?\b", re.I
)
_BEFORE = re.compile(r"\b(pass|fail|error|skip)(?:ed|es|ing|ures?|s|ped)? ?[:=] ?(\d+)", re.I)
_MORE = re.compile(r"^\W{0,4}(failed|failures|errors?|skipped) ?[:=] ?(\d{1,9})$", re.I)
_DOTS = re.compile(r"^[.FEsxu*]+$")
_PYTHON_FILE = re.compile(r'^  File "([^"]{1,400})", line (\d+)$')
_PYTHON_ERROR = re.compile(r"^([A-Za-z_][\w.]{0,100}(?:Error|Exception|Exit|Interrupt))(?:: (.*))?$")
_NODE_PLACE = re.compile(r"^(?:file://)?(/[^\s:]{1,300}|node:[\w/.]+):(\d+)$")
_NODE_ERROR = re.compile(r"^(?:Uncaught )?([A-Z]\w{0,60}Error|Error)(?: \[\w+\])?: (.*)$")
_LOADING = frozenset({"SyntaxError", "IndentationError", "TabError", "ModuleNotFoundError", "ImportError"})
# a stack frame of a test runner: without a test's line before it, the runner did not start any test
_RUNNER_FRAME = re.compile(
    r"^ {4}at .{0,300}node_modules/(?:@?jest(?:-[\w-]{1,40}|/core)?|vitest|mocha|jasmine|ava|tap"
    r"|@tapjs/\w{1,20}|playwright"
    r"|@playwright/test|@cucumber/cucumber|karma|cypress|@hapi/lab|qunit)/"
)
_UNLOADED = ("Cannot find module", "Cannot find package", "Failed to load", "ERR_MODULE_NOT_FOUND")
_TERMINATED = (
    "terminate called after throwing an instance of ",
    "terminate called without an active exception",
)
_MISSING = signs(
    r"^(?:[\w./-]{1,80}: )?(?:line )?(?:\d+: )?[^\s:]{1,200}: (?:command )?not found$",
    r"^(?:[\w./-]{1,80}: )?(?:line \d+: )?[^\s:]{1,200}: (?:No such file or directory|Permission denied)$",
    r"^make(?:\[\d+\])?: \*\*\* No rule to make target",
    r"^npm (?:ERR!|error) (?:Missing script: |enoent Could not read package\.json)",
    r"^\S{1,200}python[\d.]{0,5}: No module named \S+$|^python[\d.]{0,5}: (?:No module named"
    "|can't open file) ",
    r"^error: could not find `Cargo\.toml`",
    # unknown options, as parsers of options report them
    r"^(?:\S{1,200}: (?:error: )?|[Ee]rror: )?(?:(?:[Uu]nknown|[Ii]nvalid|[Uu]nrecogni[sz]ed|[Nn]o such) "
    r"(?:option|argument)s?:? (?:-- )?['\"`]?-?|unrecognized arguments: )\S",
    r"^(?:Error parsing command-line arguments: \S|An unrecognized parameter in the argument \S)",
    r"^Usage: (?:ConsoleLauncher \[OPTIONS\]|jest \[--config=)",
    r"^\S{1,300}:in ['`]\S{1,60}': Formatter '\S{1,100}' unknown ",  # RSpec
    r"^Parse error in \"[^\"]{1,300}\.feature\" \(\d+:\d+\): ",  # Cucumber
    r"^Execution of \S{1,300} aborted due to compilation errors\.$",  # Perl
    r"^✖ ERROR: \S",  # Mocha
    r"^ERROR: (?:Config file '.{1,300}' not found|Error importing plugin \"|\S{1,300}\.(?:ini"
    r"|cfg|toml):\d+: )",
    r"^\S{1,300}:in ['`]\S{1,60}': cannot load such file -- \S.{0,200} \(LoadError\)$",
)
_is_missing = any_of(_MISSING)
_MAX_ERRORS = 200  # the first errors, and the last


class GenericReader:
    def __init__(self) -> None:
        self._read = Reading()
        self._cases: list[Case] = []
        self._failed = 0
        self._counts: Counts | None = None
        self._python: Trace | None = None
        self._node: JsTrace | None = None
        self._node_file = ""
        self._runner = False  # whether a test runner is among the error's frames
        self._died: list[tuple[BuildError, bool]] = []  # with whether it failed before running
        self._terminated = ""  # by an exception that a C++ program did not catch
        self._last = ""
        self._since = 0  # lines after the counts

    def feed(self, line: str) -> None:
        text = line.rstrip()
        if not text:
            return
        self._last = text
        self._since += 1
        if self._python is not None and text.startswith(("  File ", "    ")) and not _NAMED.match(text):
            self._python.feed(text)
            return
        if self._python is not None or (self._node is not None and not _NODE_ERROR.match(text)):
            self._follow(text)
        if match := _NAMED.match(text):
            self._named((match[1] or match[2])[:4].rstrip("E"), match[3])
        elif not text.startswith("  ") and (counts := closing_counts(text)):
            self._counts, self._since = counts, 0
        elif self._counts is not None and self._since <= _EPILOGUE and (more := _MORE.match(text)):
            self._more(more[1][0].lower(), int(more[2]))
        elif text.startswith("Traceback (most recent call last):") or _PYTHON_FILE.match(text):
            self._python = self._python or Trace()
            self._python.feed(text)
        elif match := _NODE_PLACE.match(text):
            self._node, self._node_file = JsTrace(), "" if match[1].startswith("node:") else match[1]
        elif _NODE_ERROR.match(text) and (self._node is None or not self._node.exception):
            self._node = JsTrace()
            self._node.feed(text)
        elif text.startswith(_TERMINATED):
            self._terminated = self._terminated or text
        elif _is_missing(text):
            self._die(BuildError(text), True)

    def _more(self, letter: str, number: int) -> None:
        """Add a count from a list with one a line, which begins with that of passed tests."""
        counts, self._since = self._counts or Counts(), 0
        bad = {"f": "failed", "e": "errors", "s": "skipped"}[letter]
        self._counts = replace(counts, **{bad: number})

    def _named(self, status: str, name: str) -> None:
        outcome = _OUTCOMES.get(status[:4], Outcome.PASSED)
        message = ""
        if name.endswith(")") and " (" in name and outcome is Outcome.FAILED:
            name, _, message = name[:-1].partition(" (")
        if len(self._cases) < CASE_LIMIT or outcome is Outcome.FAILED:
            self._cases.append(Case(name, name, outcome, message=message))
        self._failed += outcome is Outcome.FAILED

    def _follow(self, text: str) -> None:
        """Read the lines of an uncaught error up to the one that names it."""
        if self._python is not None:
            self._python.feed(text)
            if match := _PYTHON_ERROR.match(text):
                error = BuildError(
                    match[2] or match[1], self._python.file, self._python.line, match[1].rpartition(".")[2]
                )
                self._die(error, error.exception in _LOADING)
                self._python = None
        elif self._node is not None:
            self._node.feed(text)
            self._runner = self._runner or _RUNNER_FRAME.match(text) is not None
            if text.startswith(("Node.js v", "}")):
                self._end_node()

    def _die(self, error: BuildError, loading: bool) -> None:
        if len(self._died) < _MAX_ERRORS:
            self._died.append((error, loading))
        else:
            self._died[-1] = (error, loading)

    def _end_node(self) -> None:
        assert self._node is not None
        error = self._node.build_error(self._node_file or self._node.file)
        if error.exception and (self._node.placed or self._node_file):
            loading = self._runner or error.exception in _LOADING or error.message.startswith(_UNLOADED)
            file = error.message.partition(": ")[0]
            if loading and file.startswith("/") and " " not in file:
                error = BuildError(error.message, file, error.line, error.exception, error.detail)
            self._die(error, loading)
        self._node, self._runner = None, False

    def finish(self) -> Reading:
        if self._node is not None:
            self._end_node()
        reading = self._read
        reading.cases = self._cases
        reading.started = bool(self._cases) or bool(_DOTS.match(self._last))
        if self._counts is not None and self._since <= _EPILOGUE:
            failed = max(self._counts.failed, self._failed)
            reading.counts = Counts(self._counts.passed, failed, self._counts.errors, self._counts.skipped)
            reading.finished, reading.started = True, True
            reading.no_tests = reading.counts.total == 0
        elif self._terminated:
            reading.crashed = self._terminated
        elif self._failed:
            reading.finished = True
        elif self._died and not self._cases:
            reading.build_errors = [error for error, loading in self._died if loading]
            if not reading.build_errors:
                error = self._died[-1][0]
                reading.crashed = f"{error.exception}: {error.message}".strip(": ")
                reading.crashed += next((cure for sign, cure in _CURES if sign in error.message), "")
        return reading


def closing_counts(line: str) -> Counts | None:
    """Return the counts of ``2 passed, 1 failed`` or ``Passed: 2 Failed: 1``; None for other lines."""
    if len(line) > 120 or "pass" not in line.lower():
        return None
    tokens = _TOKEN.findall(line.lower())
    if any(token[0].isalpha() and token not in _ALLOWED for token in tokens):
        return None
    totals: dict[str, int] = {}
    for number, label in _AFTER.findall(line):
        totals[label.lower()] = int(number)
    for label, number in () if totals else _BEFORE.findall(line):
        totals[label.lower()] = int(number)
    if "pass" not in totals:
        return None
    return Counts(totals["pass"], totals.get("fail", 0), totals.get("error", 0), totals.get("skip", 0))


class _BuildOnly:
    """Reads a build that failed before any runner started."""

    def __init__(self) -> None:
        self._watch = BuildWatch()

    def feed(self, line: str) -> None:
        self._watch.feed(line)

    def finish(self) -> Reading:
        errors = self._watch.errors
        return Reading(
            build_errors=errors,
            started=bool(errors),
            finished=bool(errors),
            claims_ok=False if errors else None,
        )


ROWS = (
    *text_rows(
        r"""
any _BuildOnly compiler
  sign     ^[^\s:][^:]{0,300}\.\w{1,5}:\d{1,9}(?::\d{1,9})?: (?:fatal )?[eE]rror:␣
  sign     ^[^\s:][^:]{0,300}\.\w{1,5}:\d{1,9}(?::\d{1,9})?: [^:]{0,20}(?:Fehler|erreur|errore|erro|ошибка
           |błąd|错误|錯誤|エラー|오류)[\s\u00a0]?[:\uff1a]
  sign     : undefined reference to [`'‘]
  sign     ^error\[E\d{4}\]:␣
  sign     ^[^\s()]{1,300}\.\w{1,5}\(\d{1,9},\d{1,9}\): error [A-Z]{2,6}\d{1,9}:␣
  sign     ^[^\s:]{1,300}\.[cm]?[jt]sx?:\d{1,9}:\d{1,9} - error TS\d{1,9}:␣
  sign     ^\s*[^\s:]{1,300}\.pyi?:\d{1,9}:\d{1,9} - error:␣
  sign     ^[^\s:]{1,300}\.pyi?:\d{1,9}:\d{1,9}: [A-Z]{1,4}\d{3,4}:?␣
  sign     ^[^\s:]{1,300}\.go:\d{1,9}:\d{1,9}: .{1,400} \((?:typecheck|compile|[A-Z]{1,2}\d{3,4}|[a-z]\w{2,20})\)$
  sign     ^ +--> [^\s:]{1,300}\.pyi?:\d{1,9}:\d{1,9}$
  sign     ^\s*[^\s()]{1,300}\.nims?\(\d{1,9}, \d{1,9}\) Error:␣
  sign     ^File "[^"]{1,300}\.mli?", lines? \d{1,9}
  sign     ^[^\s:]{1,300}\.(?:hs|lhs):\d{1,9}:\d{1,9}: error:
  sign     ^[^\s:]{1,300}\.erl:\d{1,9}:(?:\d{1,9}:)? (?!Warning)
  sign     ^(?:syntax error|Can't locate) .{0,600} at \S+ line \d{1,9}
  sign     ^(?:PHP )?(?:Parse|Fatal) error: .{1,400} (?:on line |in \S+:)\d{1,9}
  sign     ^(?:\S+: )?[^:\s]{1,300}\.rb:\d{1,9}: syntax error
  sign     ^[^:\s]{1,300}\.rb:\d{1,9}:in [`'].{1,200}': .{1,300} \((?:LoadError|SyntaxError|NameError)\)$
  sign     ^\*\* \((?:CompileError|SyntaxError|TokenMissingError)\)␣
  sign     ^CMake Error at␣
  sign     ^(?:lua[\d.]*|luajit): [^\s:]{1,300}\.lua:\d{1,9}:␣
  sign     ^e: (?:file://)?[^:\s]{1,300}\.kts?[: ]
""",
        _BuildOnly,
    ),
    TextRow(
        "generic",
        "any",
        GenericReader,
        signs(
            _NAMED.pattern,
            r"^\W{0,4}(?:[A-Z][a-z]+: )?\d+ (?:tests? )?passed\b",
            r"(?i)^\W{0,4}(?:\w{1,12}: )?pass(?:ed)? ?[:=] ?\d+",
            r"^Traceback \(most recent call last\):$",
            r"^  File \"[^\"]{1,400}\", line \d+$",
            _NODE_ERROR.pattern,
            _NODE_PLACE.pattern,
            *(f"^{re.escape(words)}" for words in _TERMINATED),
            *(sign.pattern for sign in _MISSING),
        ),
        weight=0,
    ),
    TextRow("progress", "any", GenericReader, signs(_DOTS.pattern), weight=0),
)
