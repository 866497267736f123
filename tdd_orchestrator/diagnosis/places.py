"""Parse file and line from a line of text, and tell project paths from others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_FOREIGN = re.compile(
    r"(?:^|[/\\(@])(?:site-packages|dist-packages|node_modules|\.cargo|rustlib|pkg[/\\]mod"
    r"|vendor[/\\]bundle|gems|__cypress"
    r"|_pytest|deps[/\\][a-z_]+[/\\]lib)[/\\]"
    "|^(?:/usr/|/lib/|/lib64/|/opt/|/nix/|/snap/|/rustc/|/etc/perl|/proc/|/build/|/dev/"
    "|[a-z]+:///?(?:usr|lib)/"
    r"|node:|internal/\S*\.js$|bun:|deno:|native:|java\.base/|jdk\.|ext:|<|[A-Z]:\\Program Files"
    r"|[A-Z]:\\Python)"
    r"|/(?:\.pyenv|\.rbenv|\.nvm|\.rustup|\.asdf|\.local/lib|lib/python3?(?:\.\d+)?|lib64/python3?\.\d+)/"
    r"|^_testmain\.go|^_ssl\.c|^libraries/base/|^/?/?deno\.land/|^vendor/|/vendor/"
    r"|webpack/(?:bootstrap|runtime)|^\.\.?/\.\.?/\.\./\.\./usr/"
)
_PREFIX = re.compile(
    r"^(?:file://(?:localhost)?|webpack(?:-internal)?://(?:/|[\w@.-]*/)|webpack:|turbopack://[^/]*/)"
)
_JDK = re.compile(
    r"^(?:[\w.]+/)?(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|oracle"
    "|okhttp3|retrofit2|reactor"
    r"|org\.(?:junit|hamcrest|apache|gradle|springframework|hibernate|mockito|opentest4j|postgresql"
    "|sqlite|codehaus"
    r"|testng|assertj|jetbrains|openqa|opensearch|elasticsearch|mariadb|h2|mongodb|neo4j)"
    r"|com\.(?:mysql|zaxxer|fasterxml|google|microsoft|mongodb|datastax|amazonaws|rabbitmq)|software\.amazon"
    r"|io\.(?:netty|lettuce|grpc)|redis\.clients|junit|worker\.org\.gradle)\."
)
_EXTENSIONS = (
    "py|pyi|pyx|js|mjs|cjs|jsx|ts|mts|cts|tsx|vue|svelte|astro|java|kt|kts|scala|groovy|gradle|clj"
    "|go|rs|c|h|cc|cpp|cxx"
    "|hh|hpp|m|mm|swift|cs|fs|vb|rb|erb|rake|php|ex|exs|erl|hrl|hs|ml|mli|lua|pl|pm|t|sh|bash|zsh"
    "|ps1|sql|css|scss|sass"
    "|less|html|htm|json|jsonc|toml|yml|yaml|xml|ini|cfg|conf|txt|md|lock|proto|graphql|tf|dart|jl"
    "|R|r|nim|zig|cr|csproj"
    "|sln|cmake|mk|gemspec|mod|sum|feature|ipynb|in|am|s|S|asm|f90|f95|rst|env|cts|adb|ads|pas"
    "|vala|rkt|scm|lisp|awk|tcl|elm|gleam|escript|zsh|fish|bats|sol|coffee|hx|svg|mdx|pug|hbs|ejs"
)
_SCHEME = r"(?:file|webpack(?:-internal)?)://"
_DRIVE = r"(?<![A-Za-z])[A-Za-z]:[\\/](?!/)"
_NAMED = r"(?:Makefile|Dockerfile|Rakefile|Gemfile)"
_END = rf"(?:\.(?:{_EXTENSIONS})(?!\w)|{_NAMED})"
# anchored at the start of a run of path characters, so that each run is read once
_PATH = (
    rf"(?:(?:{_SCHEME}(?:{_DRIVE})?|{_DRIVE}|(?<![\w@.+~\-\[\]/\\]))[\w@.+~\-\[\]/\\]{{0,200}}[\w@+~\-\]]\.(?:{_EXTENSIONS})(?!\w)"
    rf"|(?:{_SCHEME})?(?:{_DRIVE})?(?:(?<![\w.@+/-])[\w.@+/-]{{0,200}}/)?{_NAMED})"
)
_LINE = (
    r"(?:\"?, line |:line |\((?=\d+[,)])|:\[|: line |: Zeile |: línea |: ligne | line | on line |:| )"
    r"(?P<line>\d{1,7})(?!\w|\.\d)"
)
_WITH_LINE = re.compile(rf"(?P<path>{_PATH}){_LINE}")
_BARE = re.compile(rf"(?P<path>{_PATH})")
_LINE_FIRST = re.compile(rf"\bline (?P<line>\d{{1,7}}) (?:in|of) (?:file:? )?['\"`]?(?P<path>{_PATH})")
_ENDS, _ENDS_WITH_LINE = re.compile(_END), re.compile(_END + _LINE)
"""The end of every match of the two above: a fast and rare pre-check."""
_ORIGIN = re.compile(
    r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?/(?:@fs/)?"
)  # a development server
_OTHER_APP = re.compile(r"^\s*\(\w+ \d[\d.]*\) ")  # Elixir: (stdlib 4.2) lib/...
_FRAME_JAVA = re.compile(r"^\s*at ([\w.$/<>@-]+)\(([\w.-]+\.(?:java|kt|scala|groovy|clj)):(\d+)\)")


_CUT = 2_000  # characters of a line that are searched for a path


@dataclass(frozen=True, slots=True)
class Place:
    """Where something happened. ``file``: as printed, made relative; ``line`` from 1, 0 if unknown."""

    file: str
    line: int = 0


@lru_cache(maxsize=2048)
def is_project(path: str) -> bool:
    """Whether a printed path is one of the project, judged by its spelling."""
    return bool(path) and not _FOREIGN.search(path)


def relative(path: str, root: str = "") -> str:
    """Return a printed path without scheme, root and leading ``./``, with forward slashes."""
    found = _PREFIX.sub("", path).replace("\\", "/")
    if found.startswith("[/"):  # a frame drawn around the place
        found = found[1:]
    for prefix in (root.rstrip("/") + "/" if root else "", "/repo/"):
        if prefix and found.startswith(prefix):
            found = found[len(prefix) :]
            break
    if found.startswith("[") and "]" not in found:
        found = found[1:]
    while found.startswith("./"):
        found = found[2:]
    return found


def java_place(line: str) -> Place | None:
    """Return the place of a frame ``at shop.Cart.total(Cart.java:7)`` of project code."""
    hit = _FRAME_JAVA.match(line)
    return Place(hit[2], int(hit[3])) if hit and not _JDK.match(hit[1]) else None


def java_library(line: str) -> str:
    """Return the first two parts of a JVM frame's package (``oracle.jdbc``), else ""."""
    hit = _FRAME_JAVA.match(line)
    return ".".join(hit[1].split("/")[-1].split(".")[:2]) if hit else ""


@lru_cache(maxsize=1024)
def place_in(line: str, root: str = "") -> Place | None:
    """Return the first project path with a line number in a line of text."""
    if _OTHER_APP.match(line):
        return None
    if "\tat " in line or line.lstrip().startswith("at "):
        found = java_place(line)
        if found is not None or _FRAME_JAVA.match(line):
            return found
    searched = _ORIGIN.sub("", line[:_CUT]) if "://" in line else line[:_CUT]
    pattern = _WITH_LINE if _ENDS_WITH_LINE.search(searched) else _LINE_FIRST if "line " in searched else None
    for hit in pattern.finditer(searched) if pattern else ():
        path = hit["path"]
        if is_project(path) and is_project(_PREFIX.sub("", path)):
            return Place(relative(path, root), int(hit["line"]))
    return None


def path_in(line: str, root: str = "") -> Place | None:
    """Return the first project path in a line, with or without a line number."""
    if not _ENDS.search(line[:_CUT]):
        return None
    for hit in _BARE.finditer(line[:_CUT]):
        path = hit["path"]
        if is_project(path) and not path.startswith("//"):
            return Place(relative(path, root))
    return None


def paths_in(text: str) -> list[str]:
    """Return every path with a known extension in a text, as printed, without those of URLs."""
    return [
        hit["path"]
        for hit in _BARE.finditer(text[:20_000])
        if not text[max(0, hit.start() - 3) : hit.start()].endswith("://")
        and not hit["path"].startswith("//")
    ]
