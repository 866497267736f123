"""What makes a git call neutral: settings that override the repository's own, and an environment that
redirects nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

SETTINGS: tuple[str, ...] = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.quotePath=false",
    "core.filesRefLockTimeout=1000",
    "core.fsync=committed,reference,-loose-object",  # our own loose objects are synced by objects.py
    "core.useReplaceRefs=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "push.gpgSign=false",
    "log.showSignature=false",
    "color.ui=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "credential.interactive=false",
)
OPTIONS = tuple(word for setting in SETTINGS for word in ("-c", setting))

_KEPT = frozenset(
    {
        "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE",
        "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
        "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
        "GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO",
    }
)  # fmt: skip
"""Who the user is and where their own configuration lies; every other GIT_* could point git elsewhere."""

FIXED = {
    "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "",  # no such file: its parents would be believed, though no clone has them
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_EDITOR": "false",
    "GIT_FLUSH": "0",  # git log fills its buffer before it writes, and not commit by commit
    "GIT_MERGE_AUTOEDIT": "no",
}


_LOCAL = frozenset(
    {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "EMAIL",
        "TMPDIR",
        "TZ",
        "XDG_CONFIG_HOME",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "GNUPGHOME",
        "SSH_AUTH_SOCK",
        "XDG_RUNTIME_DIR",
    }
)
"""What git needs of the rest where it talks to nobody, its signing programs included: a small environment
makes a cheap start."""


_VALUE = re.compile(r"([?&][\w.-]{1,64}=)[^&\s'\"]{1,4096}")


def environment(base: Mapping[str, str] | None = None, *, remote: bool = False) -> dict[str, str]:
    """The environment of a git call: the user's, without what redirects or prompts."""
    given = os.environ if base is None else base
    clean = {
        key: value
        for key, value in given.items()
        if key in _KEPT or key in _LOCAL or (remote and not key.startswith("GIT_"))
    }
    return clean | FIXED


def without_secret(text: str) -> str:
    """``https://user:password@host`` loses its middle, and a query its values: a token may stand in
    either."""
    if "://" not in text:
        return text
    return _VALUE.sub(r"\1***", re.sub(r"(://)[^/\s]{1,4096}@", r"\1***@", text))
