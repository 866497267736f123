"""What a ``sitecustomize`` of ours does: let the witness in where this is the process in which unittest, Django's runner or
nose2 runs, and leave every other one (make's, poetry's) as it would be without us, so that those it starts are asked again.

Copied beside the witness under its random name. It needs nothing but Python 3.6.
"""

import importlib
import json
import os
import re
import sys
from typing import Any

_HOME = os.path.dirname(os.path.abspath(__file__))


def words() -> Any:
    """The command line of this process; ``sys.argv`` is not yet what it will be."""
    given = getattr(sys, "orig_argv", None)
    if given is None:
        try:
            with open("/proc/self/cmdline", "rb") as file:
                given = os.fsdecode(file.read()).split("\0")[:-1]
        except OSError:
            given = []
    return " ".join(re.sub(r"\s", "_", word) for word in given[1:])


def _expected() -> Any:
    try:
        with open(os.environ["TDD_WITNESS"], encoding="utf-8") as file:
            orders = json.load(file)
    except (KeyError, OSError):
        return False
    return orders["certain"] or re.match(orders["runs"], words()) or re.match(orders["may_run"], words())


def _users_own() -> None:
    """The private folder leaves the path, and the ``sitecustomize`` that it hid has its turn."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _HOME]
    mine = sys.modules.pop("sitecustomize")
    try:
        importlib.import_module("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = mine


if _expected():
    importlib.import_module(__name__.rpartition("_")[0])
_users_own()
