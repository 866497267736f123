"""Collect errors of compilers, linkers and interpreters that keep a suite from loading, by patterns of lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from tdd_orchestrator.model.report import BuildError
from tdd_orchestrator.text import parse_entries

# gcc's "error" in German, French, Italian, Portuguese, Russian, Polish, Chinese, Japanese,
# Korean
TRANSLATED_ERRORS = ("Fehler", "erreur", "errore", "erro", "ошибка", "błąd", "错误", "錯誤", "エラー", "오류")

_LINES = r"""
MSBuild, csc, fsc: CalcTests.cs(12,5): error CS0103: ... [/x/demo.csproj]
  has      error␣
  is       \s*(?P<file>[^():]{1,300}(?::\\[^():]{1,300})?)\((?P<line>\d{1,9}),\d{1,9}\+?
           (?:,\d{1,9},\d{1,9})?\): error (?P<type>[A-Z]{2,8}\d{1,9}): (?P<message>.+?)(?: \[[^\]]+\])?$
  has      error␣
  is       (?:\S+ : |\s*)error (?P<type>(?:MSB|NETSDK|NU)\d{1,9}): (?P<message>.+?)(?: \[[^\]]+\])?$
tsc --pretty
  has      ␣- error TS
  is       (?P<file>[^\s:][^:]{0,300}\.[cm]?[jt]sx?):(?P<line>\d{1,9}):\d{1,9} - error (?P<type>TS\d{1,9}):␣
           (?P<message>.+)
pyright; flake8, pylint and ruff, a line each
  has      ␣- error:␣
  is       \s*(?P<file>[^\s:][^:]{0,300}\.pyi?):(?P<line>\d{1,9}):\d{1,9} - error: (?P<message>.+)
  has      .py:
  is       (?P<file>[^\s:][^:]{0,300}\.pyi?):(?P<line>\d{1,9}):\d{1,9}: (?P<message>[A-Z]{1,4}\d{3,4}:? .+)
golangci-lint, staticcheck
  has      .go:
  is       (?P<file>[^\s:]{1,300}\.go):(?P<line>\d{1,9}):\d{1,9}: (?P<message>.+?) \((?P<type>[a-z][\w-]{1,30})\)$
kotlinc, alone and under Gradle
  has      e:␣
  is       e: (?:file://)?(?P<file>[^:\s]+\.kts?):(?P<line>\d{1,9}):\d{1,9}:? (?P<message>.+)
  has      e:␣
  is       e: (?P<file>[^:\s]+\.kts?): \((?P<line>\d{1,9}), \d{1,9}\): (?P<message>.+)
maven-compiler-plugin
  has      .java:[
  is       \[ERROR\] (?P<file>[^:\s]+\.java):\[(?P<line>\d{1,9}),\d{1,9}\] (?:error: )?(?P<message>.+)
  has      .kt:
  is       \[ERROR\] (?P<file>[^:\s]+\.kt): ?[(\[](?P<line>\d{1,9}), ?\d{1,9}[)\]] (?P<message>.+)
scalac under sbt
  has      .scala:
  is       \[error\] (?P<file>[^:\s]+\.scala):(?P<line>\d{1,9})(?::\d{1,9})?: (?P<message>.+)
scala 3: -- [E006] Not Found Error: src/X.scala:3:4 ---
  has      Error:␣
  is       (?:\[error\] )?-- (?:\[(?P<type>E\d{1,9})\] )?(?P<message>[\w -]{1,60}Error):␣
           (?P<file>[^:\s]+\.(?:scala|sc)):(?P<line>\d{1,9})
nim
  has      ) Error:␣
  is       (?P<file>[^()\s]+\.nims?)\((?P<line>\d{1,9}), \d{1,9}\) Error: (?P<message>.+)
perl
  has      ␣at␣
  is       (?P<message>(?:syntax error|Can't locate|Can't find string|Missing right curly|Global symbol
           |Bareword|Unmatched|Undefined subroutine|Number found where|String found where
           |Type of arg|Not enough arguments|Too many arguments)\b.*?) at (?P<file>[^\s\"]+)␣
           line (?P<line>\d{1,9})
php
  has      ␣on line␣
  is       (?:PHP )?(?P<type>Parse error|Fatal error|ParseError): {1,3}(?P<message>.+?) in (?P<file>\S+)␣
           on line (?P<line>\d{1,9})
  has      rror
  is       (?:PHP )?Fatal error: {1,3}Uncaught (?P<type>[\w\\]+): (?P<message>.+?) in␣
           (?P<file>\S+\.php):(?P<line>\d{1,9})$
ruby, before and since its new parser; a file that cannot be loaded
  has      yntax error
  is       (?:\S+: )?(?P<file>[^:\s]+\.(?:rb|ru|rake)):(?P<line>\d{1,9}): (?P<message>syntax errors? ?.*
           |.*\(SyntaxError\))$
  has      Error)
  is       (?P<file>[^:\s]+\.(?:rb|ru|rake)):(?P<line>\d{1,9}):in ['`].{1,200}?': (?P<message>.+)␣
           \((?P<type>LoadError|SyntaxError|NameError|NoMethodError|Gem::\w+)\)$
lua
  has      .lua:
  is       (?:lua[\d.]*|luajit): (?P<file>[^:\s]+\.lua):(?P<line>\d{1,9}): (?P<message>.+)
bash
  has      : line␣
  is       (?P<file>[^:\s]+): line (?P<line>\d{1,9}): (?P<message>syntax error.*)
emacs
  has      Lisp error:␣
  is       Debugger entered--Lisp error: (?P<message>\((?P<type>[\w-]+).*)
elixir
  has      ** (
  is       \*\* \((?P<type>CompileError|SyntaxError|TokenMissingError|MismatchedDelimiterError)\)␣
           (?:invalid syntax found on )?(?P<file>[^:\s]+\.exs?):(?P<line>\d{1,9})
           (?::\d{1,9})?:? ?(?P<message>.*)
erlang
  has      .erl:
  is       (?:[^\w\s]{1,3} )?(?P<file>[^:\s]+\.[eh]rl):(?P<line>\d{1,9}):(?:\d{1,9}:)?␣
           (?!Warning)(?P<message>.+)
rustc --error-format=short
  has      : error
  is       (?P<file>[^:\s]+\.rs):(?P<line>\d{1,9}):\d{1,9}: error(?:\[(?P<type>E\d{1,9})\])?: (?P<message>.+)
ghc, ocaml's dune, swiftc, clang, gcc, javac, gfortran, zig, dart: file:line[:column]: error: message
  has      rror:␣
  is       (?:\[(?:error|ERROR)\] +)?(?P<file>(?:[A-Za-z]:)?[^:\s][^:]{0,400}):(?P<line>\d{1,9})
           (?::\d{1,9})?:␣
           (?:fatal error|error|Error|catastrophic error): (?:\[GHC-\d{1,9}\] ?)?(?P<message>.+)
linkers
  has      undefined␣
  is       (?:/\S{1,200}ld(?:\.\w+)?: )?(?:[^:\s]{1,200}:(?:\([^)]{1,60}\):|(?P<line>\d{1,9}):)? )
           (?P<message>undefined reference to .+)
  has      ld:␣
  is       (?:/\S{1,200})?ld(?:\.\w+|64\.lld)?: (?:error: )?(?P<message>(?:undefined symbol
           |cannot find|duplicate symbol).+)
  has      multiple definition
  is       (?:/\S{1,200}ld: )?\S{1,300}: (?P<message>multiple definition of .+)
  has      Undefined symbols for
  is       (?P<message>Undefined symbols for architecture .+)
"""
"""Of each tool, what its line must contain (``has``), and the expression from its start (``is``)."""

ONE_LINE: tuple[tuple[str, re.Pattern[str]], ...] = (
    *(
        (has, re.compile(pattern))
        for row in parse_entries(_LINES)
        for has, pattern in zip(row.all("has"), row.all("is"), strict=True)
    ),
    # gcc, and make's other tools, in the user's language
    *(
        (
            word,
            re.compile(
                r"(?P<file>[^:\s][^:]{0,400}):(?P<line>\d{1,9})(?::\d{1,9})?: [^:]{0,20}?"
                + word
                + r"[\s\u00a0]?[:\uff1a] ?(?P<message>.+)"
            ),
        )
        for word in TRANSLATED_ERRORS
    ),
)


_MAX_ERRORS = 50  # build errors of one run

Rule = Callable[[re.Match[str]], BuildError]


def _plain(match: re.Match[str]) -> BuildError:
    """Return the build error from the groups file, line, message and type."""
    parts = match.groupdict()
    return BuildError(
        message=(parts.get("message") or match[0]).strip(),
        file=(parts.get("file") or "").strip(),
        line=int(parts.get("line") or 0),
        exception=parts.get("type") or "",
    )


# the message stands on a line of its own; the place follows, or stood on the line before
_CMAKE = re.compile(r"CMake Error at (?P<file>[^:\s]+):(?P<line>\d{1,9}) \(")
_GHC = re.compile(
    r"(?P<file>[^:\s]+\.(?:hs|lhs)):(?P<line>\d{1,9}):\d{1,9}(?:-\d{1,9})?: error:(?: "
    r"\[GHC-\d{1,9}\])?\s*(?:\[[^\]]+\])?$"
)
_OCAML = re.compile(
    r'File "(?P<file>[^"]+)", lines? (?P<line>\d{1,9})(?:-\d{1,9})?, characters \d{1,9}-\d{1,9}:$'
)
_RUST = re.compile(r"error(?:\[(?P<type>E\d{1,9})\])?: (?P<message>.+)")
_ARROW = re.compile(r"\s*(?:-->|└─|╭─\[|,-\[) ?(?P<file>[^:\s]+):(?P<line>\d{1,9})")
_STOPPED = re.compile(
    r"(?:g?make(?:\[\d{1,9}\])?: \*\*\* (?:\[[^\]]{1,400}\] \S{1,30} \d{1,9}$|.*(?:Error \d{1,9}"
    r"|Stop\.))|ninja: build stopped|collect2: error|compilation terminated\."
    r"|clang(?:\+\+)?: error: linker command failed|error: could not compile|Build FAILED\.|CMake Error|"
    r"-- Configuring incomplete)"
)
_RUST_PLAIN = (
    "error: test failed", "error: doctest failed", "error: aborting due to", "error: could not compile",
    "error: 1 target failed", "error: test run failed", "error: bench failed", "error: process didn't exit",
)  # fmt: skip


_SYMBOL = re.compile(r"(?:\[ERROR\] )?  (symbol:|location:)(\s+\S.*)$")
_INCLUDE = re.compile(r" {0,8}\d{1,9} \| *(# *(?:include|import)\b.*)$")
_RUFF = re.compile(r"[A-Z]{1,4}\d{3,4} (?:\[[*-]\] )?\S")
_NEEDLES = ("rror", "RROR", "undefined ", " at ", *TRANSLATED_ERRORS)


class BuildWatch:
    """Collects build errors from the lines it is fed. ``stopped``: the build tool itself gave up."""

    def __init__(self) -> None:
        self.errors: list[BuildError] = []
        self.stopped = ""
        self._wait = ""  # expected next: message (ghc, cmake), ocaml, place (rustc, elixir)
        self._half = BuildError("")

    def feed(self, line: str) -> bool:
        """Read a line; True if it belongs to a build error."""
        if (self._wait and self._continue(line)) or ("  " in line[:12] and self._symbol(line)):
            return True
        if "include" in line and self._include(line):
            return True
        if not any(part in line for part in _NEEDLES) and not line.startswith(("e: ", "File ")):
            return self._other(line)
        return self._open(line) or self._single(line) or self._other(line)

    def _other(self, line: str) -> bool:
        if line[:1].isupper() and _RUFF.match(line):
            self._half, self._wait = BuildError(line.strip()), "next"
            return False
        if not self.stopped and _STOPPED.match(line):
            self.stopped = line.strip()
        if (
            ".erl:" in line
            or ": line " in line
            or ".lua:" in line
            or "multiple def" in line
            or "ld: " in line
            or (".py:" in line and ".py::" not in line)
            or (".go:" in line and line.endswith(")"))
        ):
            return self._single(line)
        return False

    def _symbol(self, line: str) -> bool:
        """Add javac's symbol and location, printed below the error; Maven prints all of it twice."""
        match = _SYMBOL.match(line) if self.errors else None
        if not match or not self.errors[-1].message.startswith("cannot find symbol"):
            return False
        last = self.errors.pop()
        if match[1] not in last.message:
            last = replace(last, message=f"{last.message}\n  {match[1]}{match[2]}")
        if last not in self.errors:
            self.errors.append(last)
        return True

    def _include(self, line: str) -> bool:
        """Add the ``#include`` line that gcc and clang quote below the error."""
        match = _INCLUDE.match(line) if self.errors else None
        if not match or self.errors[-1].detail:
            return False
        self.errors[-1] = replace(self.errors[-1], detail=match[1])
        return True

    def _add(self, error: BuildError) -> None:
        if len(self.errors) < _MAX_ERRORS and error not in self.errors:
            self.errors.append(error)

    def _single(self, line: str) -> bool:
        for needle, pattern in ONE_LINE:
            if needle in line:
                match = pattern.match(line)
                if match:
                    self._add(_plain(match))
                    return True
        return False

    def _open(self, line: str) -> bool:
        match = _CMAKE.match(line) or _GHC.match(line)
        if match:
            self._half, self._wait = BuildError("", match["file"], int(match["line"])), "message"
            self.stopped = self.stopped or (line if line.startswith("CMake") else "")
            return True
        match = _OCAML.match(line)
        if match:
            self._half, self._wait = BuildError("", match["file"], int(match["line"])), "ocaml"
            return True
        match = _RUST.match(line.lstrip()) if line.lstrip().startswith("error") else None
        if match and not line.startswith(_RUST_PLAIN):
            self._half = BuildError(match["message"], exception=match["type"] or "")
            self._wait = "place"
            return True
        return False

    def _continue(self, line: str) -> bool:
        half, text = self._half, line.strip()
        if self._wait == "message":
            if not text:
                return False
            self._wait = ""
            self._add(BuildError(text.lstrip("• "), half.file, half.line))
            return True
        if self._wait == "ocaml":
            if text.startswith(("Error: ", "Error (")):
                self._wait = ""
                self._add(BuildError(text.split(": ", 1)[-1], half.file, half.line, detail=text))
                return True
            if text.startswith(("Warning", "Alert")):
                self._wait = ""
            return False
        match = _ARROW.match(line)
        if match or self._wait == "next":
            self._wait = ""
        if match:
            self._add(BuildError(half.message, match["file"], int(match["line"]), half.exception))
            return True
        if line.startswith(("error", "warning")) or not text:
            self._wait = "" if not text and half.exception else self._wait
            if line.startswith(("error", "warning")):
                self._wait = ""
        return False
