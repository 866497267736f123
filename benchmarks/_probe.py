"""A `tdd` command that counts itself: ``_probe.py RESULT WORDS ...`` writes JSON to RESULT when the command ends.

Counted: git and other programs started, git calls by name, modules, patterns compiled, notes commits parsed, processor
seconds of the command alone, memory at its highest. With GROWTH_LOOKS set, which costs time, also each look at a
file (``stat``, ``lstat``) and each list of names (``scandir``).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import subprocess
import sys
from collections import Counter
from typing import Any

counts: Counter[str] = Counter()
calls: Counter[str] = Counter()
_begin = subprocess.Popen.__init__
_compile = re._compiler.compile  # type: ignore[attr-defined]


def _counted(self: Any, args: Any, *more: Any, **kw: Any) -> None:
    words = [str(word) for word in args]
    git = os.path.basename(words[0]) == "git"
    counts["git" if git else "programs"] += 1
    if git:
        calls[next((word for word in words[1:] if word[:1] != "-" and "=" not in word), "")] += 1
    _begin(self, args, *more, **kw)


def _compiled(*words: Any) -> Any:
    counts["patterns"] += 1
    return _compile(*words)


def _counting(parse: Any) -> Any:
    def counted(*words: Any) -> Any:
        counts["records"] += 1
        return parse(*words)

    return counted


def _count_looks() -> None:
    def counting(name: str) -> Any:
        look = getattr(os, name)

        def counted(*words: Any, **kw: Any) -> Any:
            counts["lists" if name == "scandir" else "looks"] += 1
            return look(*words, **kw)

        return counted

    for name in ("stat", "lstat", "scandir"):
        setattr(os, name, counting(name))


def highest_memory() -> int:
    """Kilobytes that this program held at its highest.

    Not ``ru_maxrss`` where there is /proc: Linux begins that with what the starting program held, before exec.
    """
    with contextlib.suppress(OSError), open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> int:
    result, *words = sys.argv[1:]
    subprocess.Popen.__init__ = _counted  # type: ignore[method-assign]
    re._compiler.compile = _compiled  # type: ignore[attr-defined]
    sys.argv = ["tdd", *words]
    if os.environ.get("GROWTH_LOOKS"):
        _count_looks()
    code = 0
    from tdd_orchestrator.cli.app import main as command
    from tdd_orchestrator.notes import message

    message.entries = _counting(message.entries)

    with contextlib.suppress(SystemExit):
        try:
            command()
        except SystemExit as leaving:
            code = int(leaving.code or 0)
    own = resource.getrusage(resource.RUSAGE_SELF)
    counts["modules"] = len(sys.modules)
    counts["kilobytes"] = highest_memory()
    found = {**counts, "own": own.ru_utime + own.ru_stime, "calls": calls, "code": code}
    with open(result, "w", encoding="utf-8") as file:
        json.dump(found, file)
    return code


if __name__ == "__main__":
    sys.exit(main())
