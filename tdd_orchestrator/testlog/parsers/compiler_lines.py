"""Patterns of the lines by which compilers, linkers and interpreters report an error."""

from __future__ import annotations

import re

# gcc's "error" in German, French, Italian, Portuguese, Russian, Polish, Chinese, Japanese,
# Korean
TRANSLATED_ERRORS = ("Fehler", "erreur", "errore", "erro", "ошибка", "błąd", "错误", "錯誤", "エラー", "오류")

# (needle, pattern): a part that the line must contain, and the pattern, anchored at the start
ONE_LINE: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (needle, re.compile(pattern))
    for needle, pattern in (
        # MSBuild, csc, fsc: CalcTests.cs(12,5): error CS0103: ... [/x/demo.csproj]
        (
            "error ",
            r"\s*(?P<file>[^():]{1,300}(?::\\[^():]{1,300})?)\((?P<line>\d{1,9}),\d{1,9}\+?"
            r"(?:,\d{1,9},\d{1,9})?\): error "
            r"(?P<type>[A-Z]{2,8}\d{1,9}): (?P<message>.+?)(?: \[[^\]]+\])?$",
        ),
        (
            "error ",
            r"(?:\S+ : |\s*)error (?P<type>(?:MSB|NETSDK|NU)\d{1,9}): (?P<message>.+?)(?: \[[^\]]+\])?$",
        ),
        # kotlinc, alone and under Gradle
        ("e: ", r"e: (?:file://)?(?P<file>[^:\s]+\.kts?):(?P<line>\d{1,9}):\d{1,9}:? (?P<message>.+)"),
        ("e: ", r"e: (?P<file>[^:\s]+\.kts?): \((?P<line>\d{1,9}), \d{1,9}\): (?P<message>.+)"),
        # maven-compiler-plugin
        (
            ".java:[",
            r"\[ERROR\] (?P<file>[^:\s]+\.java):\[(?P<line>\d{1,9}),\d{1,9}\] (?:error: )?(?P<message>.+)",
        ),
        (".kt:", r"\[ERROR\] (?P<file>[^:\s]+\.kt): ?[(\[](?P<line>\d{1,9}), ?\d{1,9}[)\]] (?P<message>.+)"),
        # scalac under sbt
        (".scala:", r"\[error\] (?P<file>[^:\s]+\.scala):(?P<line>\d{1,9})(?::\d{1,9})?: (?P<message>.+)"),
        # scala 3: -- [E006] Not Found Error: src/X.scala:3:4 ---
        (
            "Error: ",
            r"(?:\[error\] )?-- (?:\[(?P<type>E\d{1,9})\] )?(?P<message>[\w -]{1,60}Error): "
            r"(?P<file>[^:\s]+\.(?:scala|sc)):(?P<line>\d{1,9})",
        ),
        # nim
        (") Error: ", r"(?P<file>[^()\s]+\.nims?)\((?P<line>\d{1,9}), \d{1,9}\) Error: (?P<message>.+)"),
        # perl
        (
            " at ",
            r"(?P<message>(?:syntax error|Can't locate|Can't find string|Missing right curly|Global symbol"
            r"|Bareword|Unmatched|Undefined subroutine|Number found where|String found where"
            r"|Type of arg|Not enough arguments|Too many arguments)\b.*?) at (?P<file>[^\s\"]+) "
            r"line (?P<line>\d{1,9})",
        ),
        # php
        (
            " on line ",
            r"(?:PHP )?(?P<type>Parse error|Fatal error|ParseError): {1,3}(?P<message>.+?) in (?P<file>\S+) "
            r"on line (?P<line>\d{1,9})",
        ),
        (
            "rror",
            (
                r"(?:PHP )?Fatal error: {1,3}Uncaught (?P<type>[\w\\]+): (?P<message>.+?) in "
                r"(?P<file>\S+\.php):(?P<line>\d{1,9})$"
            ),
        ),
        # ruby, before and since its new parser; a file that cannot be loaded
        (
            "yntax error",
            r"(?:\S+: )?(?P<file>[^:\s]+\.(?:rb|ru|rake)):(?P<line>\d{1,9}): (?P<message>syntax errors? ?.*"
            r"|.*\(SyntaxError\))$",
        ),
        (
            "Error)",
            r"(?P<file>[^:\s]+\.(?:rb|ru|rake)):(?P<line>\d{1,9}):in ['`].{1,200}?': (?P<message>.+) "
            r"\((?P<type>LoadError|SyntaxError|NameError|NoMethodError|Gem::\w+)\)$",
        ),
        # lua
        (".lua:", r"(?:lua[\d.]*|luajit): (?P<file>[^:\s]+\.lua):(?P<line>\d{1,9}): (?P<message>.+)"),
        # bash
        (": line ", r"(?P<file>[^:\s]+): line (?P<line>\d{1,9}): (?P<message>syntax error.*)"),
        # elixir
        (
            "** (",
            r"\*\* \((?P<type>CompileError|SyntaxError|TokenMissingError|MismatchedDelimiterError)\) "
            r"(?:invalid syntax found on )?(?P<file>[^:\s]+\.exs?):(?P<line>\d{1,9})"
            r"(?::\d{1,9})?:? ?(?P<message>.*)",
        ),
        # erlang
        (
            ".erl:",
            (
                r"(?:[^\w\s]{1,3} )?(?P<file>[^:\s]+\.[eh]rl):(?P<line>\d{1,9}):(?:\d{1,9}:)? "
                "(?!Warning)(?P<message>.+)"
            ),
        ),
        # rustc --error-format=short
        (
            ": error",
            (
                r"(?P<file>[^:\s]+\.rs):(?P<line>\d{1,9}):\d{1,9}: error(?:\[(?P<type>E\d{1,9})\])?: "
                "(?P<message>.+)"
            ),
        ),
        # ghc, ocaml's dune, swiftc, clang, gcc, javac, gfortran, zig, dart: file:line[:column]: error:
        # message
        (
            "rror: ",
            r"(?:\[(?:error|ERROR)\] +)?(?P<file>(?:[A-Za-z]:)?[^:\s][^:]{0,400}):(?P<line>\d{1,9})"
            r"(?::\d{1,9})?: "
            r"(?:fatal error|error|Error|catastrophic error): (?:\[GHC-\d{1,9}\] ?)?(?P<message>.+)",
        ),
        # gcc, and make's other tools, in the user's language
        *(
            (
                word,
                r"(?P<file>[^:\s][^:]{0,400}):(?P<line>\d{1,9})(?::\d{1,9})?: [^:]{0,20}?"
                + word
                + r"[\s\u00a0]?[:\uff1a] ?(?P<message>.+)",
            )
            for word in TRANSLATED_ERRORS
        ),
        # linkers
        (
            "undefined ",
            r"(?:/\S{1,200}ld(?:\.\w+)?: )?(?:[^:\s]{1,200}:(?:\([^)]{1,60}\):|(?P<line>\d{1,9}):)? )"
            r"(?P<message>undefined reference to .+)",
        ),
        (
            "ld: ",
            (
                r"(?:/\S{1,200})?ld(?:\.\w+|64\.lld)?: (?:error: )?(?P<message>(?:undefined symbol"
                "|cannot find|duplicate symbol).+)"
            ),
        ),
        ("multiple definition", r"(?:/\S{1,200}ld: )?\S{1,300}: (?P<message>multiple definition of .+)"),
        ("Undefined symbols for", r"(?P<message>Undefined symbols for architecture .+)"),
    )
)
