"""Check the machine for the cause of a failure (R4): rights, ports, disk, memory, open files.

Read only: nothing is opened, written or connected to; a port is tested by binding it on the loopback.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import socket
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.model.diagnosis import Category, Diagnosis, RoutingType, Standing

_LOW_PORT = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
_MEMORY = Path("/proc/meminfo")
_LITTLE = 100 << 20  # bytes of disk or memory that are too little
_MB = 1 << 20

_SYSTEM = re.compile(
    r"Errno|E(?:ACCES|PERM|ROFS)\b|[Pp]ermission denied|not permitted|[Rr]ead-only file"
    "|[Aa]ccess ?(?:is )?[Dd]enied"
    r"|os error|publickey|\b40[137]\b|must be root|Berechtigung|[Dd]enegado|non accordée"
    "|nicht erlaubt|solo lectura|nur lesbar"
)
"""How systems and servers deny access; any other denial comes from the code itself."""
_SERVERS = {
    RoutingType.DATABASE: (
        "the database itself refuses it: its grants and policies decide, for the user that connects"
    ),
    RoutingType.NETWORK: "the server itself refuses it: the key or account that was sent has not the right",
}
_PORT = re.compile(
    r"(?i)(?:listen|bind|port|address|Errno 98|EADDRINUSE)\b.{0,80}?(?<![\d.])"
    r"(?:[\w.\[\]*]{0,40}:)?(\d{2,5})(?![\d.:])"
)
_SHELL = re.compile(r"(?m)^\S*\b(?:[bdkz]?a?sh): (?:(?:line )?\d{1,6}: )?")
"""A shell's own name, before what it could not do."""
_PATHS = (
    re.compile(r"['\"‘“`«(]((?:\.{0,2}/|[\w.-]{1,80}/)[^'\"’”`»)\n]{1,400})['\"’”`»)]"),
    re.compile(r"(?<![\w/:.])(\.{0,2}/[\w@.+~/-]{1,400})"),
    re.compile(r"denied: '([^'\n]{1,400})'"),
)


@dataclass(frozen=True, slots=True)
class Look:
    """The result of a check. ``finding`` is a sentence without its full stop."""

    standing: Standing
    finding: str


def look(seen: Diagnosis, root: Path) -> Look | None:
    """Return what the machine shows about this failure; None if no check applies."""
    text = f"{seen.evidence}\n{seen.message}"
    if seen.category is Category.PERMISSION:
        asked = _SERVERS.get(seen.routing_type)
        return Look(Standing.OPEN, asked) if asked else _rights(text, root)
    found = _STATES.get(seen.rule)
    return found(text, root) if found else None


def _rights(text: str, root: Path) -> Look:
    if not _SYSTEM.search(text):
        return Look(Standing.REFUTED, "no system refused anything: the code itself did")
    port = _port(text)
    if port:
        return _low_port(port)
    named = _SHELL.sub("", text)
    path = next((hit[1] for pattern in _PATHS if (hit := pattern.search(named))), "")
    if not path:
        return Look(Standing.OPEN, "the message names no file and no port that could be looked at")
    return _path(path.rstrip(":"), root)


def _port(text: str) -> int:
    hit = _PORT.search(text)
    return int(hit[1]) if hit and 0 < int(hit[1]) < 65536 else 0


def _low_port(port: int) -> Look:
    first = int(_read(_LOW_PORT) or 1024)
    if port < first and os.geteuid() != 0:
        return Look(Standing.CONFIRMED, f"port {port} is below {first}, which {_me()} may not use")
    return Look(Standing.OPEN, f"port {port} is open to {_me()} here; what refused it was not seen")


def _path(name: str, root: Path) -> Look:
    path = Path(name) if os.path.isabs(name) else root / name
    inside = os.path.normpath(path).startswith(os.path.normpath(root) + os.sep)
    try:
        there = _nearest(path)
        facts = there.stat()
        read_only = bool(os.statvfs(there).f_flag & os.ST_RDONLY)
    except OSError as error:
        return Look(Standing.CONFIRMED, f"{name} cannot even be looked at ({error.strerror})")
    what = name if there == path else f"{name} does not exist, and {there}"
    owned = f"owner {_name(facts.st_uid)}, mode {stat.filemode(facts.st_mode)}"
    if read_only and not inside:
        return Look(Standing.CONFIRMED, f"{what} lies on a file system that is mounted read-only")
    missing = _missing(there, stat.S_ISDIR(facts.st_mode))
    if not missing:
        return Look(Standing.REFUTED, f"{what} may be used by {_me()} ({owned})")
    standing = Standing.REFUTED if inside else Standing.CONFIRMED
    whose = "; it is the project's own, so its code can set that right" if inside else ""
    return Look(standing, f"{what} {missing} {_me()} ({owned}){whose}")


def _nearest(path: Path) -> Path:
    """Return the path, or its nearest existing parent. Raises OSError if even that cannot be read."""
    for there in (path, *path.parents):
        try:
            there.stat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        return there
    return path


def _missing(path: Path, folder: bool) -> str:
    rows = (
        (os.R_OK, "may not be read by"),
        (os.W_OK, "may not be written by"),
        (os.X_OK, "may not be entered by" if folder else "is not executable for"),
    )
    return next((phrase for right, phrase in rows if not os.access(path, right)), "")


def _port_in_use(text: str, root: Path) -> Look | None:
    port = _port(text)
    if not port:
        return None
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return Look(Standing.CONFIRMED, f"port {port} is held by another program now")
            return None
    return Look(Standing.REFUTED, f"port {port} is free now")


def _disk(text: str, root: Path) -> Look:
    free = shutil.disk_usage(root).free
    return _left(free, f"{free // _MB} MB are free on the disk where the tests run")


def _memory(text: str, root: Path) -> Look | None:
    hit = re.search(r"MemAvailable:\s+(\d+) kB", _read(_MEMORY))
    if not hit:
        return None
    free = int(hit[1]) << 10
    return _left(free, f"{free // _MB} MB of memory are free now")


def _left(free: int, finding: str) -> Look:
    return Look(Standing.CONFIRMED if free < _LITTLE else Standing.REFUTED, finding)


def _descriptors(text: str, root: Path) -> Look:
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return Look(Standing.OPEN, f"a process may have {limit} files open here")


_STATES: dict[str, Callable[[str, Path], Look | None]] = {
    "port-in-use": _port_in_use, "disk-full": _disk, "memory": _memory, "descriptors": _descriptors,
}  # fmt: skip
"""The checks, by the rule that decided."""


def _me() -> str:
    return _name(os.geteuid())


def _name(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
