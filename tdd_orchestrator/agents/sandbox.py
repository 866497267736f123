"""Bubblewrap around a command: it writes where it may, reads the rest, and does not see the user's keys.

The file system is read-only but for the places named; what is written to the temporary folder goes to a
private one; processes live in a namespace of their own that ends with its parent. Of the shared temporary
folder it sees what the command and its variables name, and no more: what others left there would be in the
way of what it makes.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import stat
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tdd_orchestrator.agents.agent import Request
from tdd_orchestrator.agents.command import ALLOWED, Wrap
from tdd_orchestrator.agents.preset import Preset, place_of
from tdd_orchestrator.model.errors import Refused, raise_if_of_machine
from tdd_orchestrator.process import Limits, run
from tdd_orchestrator.runners import neutral

SECRET = (
    ".ssh", ".aws", ".gnupg", ".netrc", ".git-credentials", ".config/gcloud", ".config/gh", ".azure", ".kube",
    ".docker", ".pypirc",
    ".password-store", ".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium",
)  # fmt: skip
"""Under HOME: hidden, unless it is one of the agent's own places."""

_DOORS = ("/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock")
"""Sockets through which a process could leave; a read-only view does not stop a connection."""

_OFFLINE = frozenset({"uv"})
"""Of those below: without network nothing fills them again, and what is there serves."""
_REBUILT = re.compile(r"uv|pip|go-build|\.gradle|interpreter-v\d+")  # the last is a folder of uv's own
"""Caches that their tool must write to, and that it fills again: what a test left in them must not reach
another run."""
_SERVES = (".gradle/gradle.properties", ".gradle/init.d", ".gradle/init.gradle", ".gradle/jdks")
"""What the user put into one."""
_WRAPPERS = ".gradle/wrapper/dists/*/*"
_LOCKS = (".lock", ".lck")
_MOST_ENTRIES = 400
_PACKAGE_CACHES = (".cache", ".vite", ".vite-temp")
_TEMPORARY = ("TMPDIR", "TEMP", "TMP")
_NAMING = {*ALLOWED, *neutral.ALLOWED} - {*_TEMPORARY, "HOME", "XDG_RUNTIME_DIR"}
"""Variables that are passed on: what they name is shown. Others' may name a socket that answers with the
user's keys."""
_PRIVATE = (Path("/tmp"), Path("/var/tmp"))
"""Folders that are empty inside, but for what the command names."""
_TMP_SIZE = 2 << 30  # bytes of the private temporary folder, which lives in memory


@dataclass(frozen=True, slots=True)
class Sandbox:
    """``kind`` is bubblewrap or none.

    ``writable`` and ``readable`` are absolute; missing paths are skipped. ``readable`` opens places below a
    hidden one; so do the variables that are ``passed`` besides the usual ones.
    """

    kind: str = "bubblewrap"
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    network: bool = True
    home: Path | None = None  # without links; whose secrets are hidden; None: nobody's
    passed: tuple[str, ...] = ()
    shown: tuple[Path, ...] = ()  # secret places of the home that are read all the same


@cache
def available() -> str | None:
    """Why a sandbox does not work here, as a sentence; None where it does. Tries it once in a process's
    life."""
    if sys.platform != "linux":
        return "bubblewrap needs Linux."
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (the program bwrap)."
    trial = wrap(["true"], Sandbox(network=False), Path("/"))
    finished = run(trial, limits=Limits(timeout=10, head=4096, tail=0))
    if finished.exit_code == 0:
        return None
    lines = finished.stderr.decode("utf-8", "replace").strip().splitlines()
    return f"bubblewrap does not work here: {lines[-1] if lines else finished.error or 'it does not start'}."


def choose(setting: str) -> str:
    """auto, bubblewrap or none -> the kind to use. Raises Refused where bubblewrap was asked for and does not
    work."""
    if setting == "none":
        return "none"
    reason = available()
    if reason is None:
        return "bubblewrap"
    if setting == "bubblewrap":
        raise Refused(reason, 'Install it, or set workspace.sandbox = "none".')
    return "none"


def wrap(argv: Sequence[str], sandbox: Sandbox, cwd: Path) -> list[str]:
    """The command line that runs ``argv`` inside."""
    if sandbox.kind == "none":
        return list(argv)
    words = [
        "bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--new-session", "--cap-drop", "ALL",
        "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
    ]  # fmt: skip
    for folder in _PRIVATE:
        words += ["--size", str(_TMP_SIZE), "--tmpfs", str(folder)]
    if Path("/run/user").is_dir():
        words += ["--tmpfs", "/run/user"]
    for door in _DOORS:
        if Path(door).exists():
            words += ["--ro-bind", "/dev/null", door]
    if not sandbox.network:
        words += ["--unshare-net"]
    for name in _TEMPORARY:
        words += ["--unsetenv", name]
    named = _named(argv, sandbox)
    # A link cannot be mounted upon: it is seen where it stands, and what it leads to is shown.
    linked = {_real(place) for place in sandbox.readable}
    words += _seen(linked.union(*(_below(folder, named) for folder in _PRIVATE)))
    for place in sorted(linked):
        words += _package_caches(place)
    for folder in _layers(sandbox):
        words += _layered(folder, named)
    words += _hidden(sandbox)
    for place in sandbox.writable:
        words += ["--bind-try", str(_real(place)), str(_real(place))]
    return [*words, "--chdir", str(cwd), "--", *argv]


def _named(argv: Sequence[str], sandbox: Sandbox) -> set[str]:
    """Absolute paths that the command, its environment and the caller name."""
    passed = (os.environ.get(name, "").split(":") for name in {*_NAMING, *sandbox.passed})
    kept = (str(sandbox.home / name) for name in _SERVES if sandbox.home)
    words = (*argv, *map(str, sandbox.readable), *kept, *(word for some in passed for word in some))
    return {os.path.normpath(word) for word in words if word.startswith("/")}


def _below(folder: Path, named: set[str]) -> set[Path]:
    """Return what the command needs of a folder whose other entries are hidden."""
    return {
        _room(Path(word), folder) for word in named if word.startswith(f"{folder}/") and os.path.exists(word)
    }


def _seen(places: set[Path]) -> list[str]:
    """Read-only, none inside another."""
    words: list[str] = []
    kept: list[Path] = []
    for place in sorted(places - {*_PRIVATE, Path("/")}):
        if os.path.exists(place) and not any(place.is_relative_to(above) for above in kept):
            kept.append(place)
            words += ["--ro-bind-try", str(place), str(place)]
    return words


def _package_caches(place: Path) -> list[str]:
    """Mount a private layer on each tool cache of a linked ``node_modules``; a missing one is created.

    Vite and Vitest fail where they cannot write theirs.
    """
    words: list[str] = []
    if place.name == "node_modules" and os.access(place, os.W_OK):
        for cache in (place / name for name in _PACKAGE_CACHES):
            if cache.is_symlink() or cache.is_file():
                continue
            cache.mkdir(exist_ok=True)  # a missing folder cannot be mounted
            words += ["--size", str(_TMP_SIZE), "--tmpfs", str(cache)]
    return words


def _real(place: Path) -> Path:
    """Resolve links; return the path as it is where access is denied."""
    return Path(os.path.realpath(place))


def _room(place: Path, top: Path) -> Path:
    """Return a program's folder below ``top``, and the environment that its bin belongs to."""
    folder = place if os.path.isdir(place) and not os.path.islink(place) else place.parent
    if folder == top:
        return place
    if "node_modules" in folder.parts:
        return Path(*folder.parts[: folder.parts.index("node_modules") + 1])
    return folder.parent if folder.name == "bin" and folder.parent != top else folder


def _layers(sandbox: Sandbox) -> list[Path]:
    """Return the home and the folders below it in which tools create files, the outermost first."""
    if sandbox.home is None:
        return []
    cache = _real(sandbox.home / ".cache")
    offline = () if sandbox.network else (cache / name for name in _OFFLINE)
    return [sandbox.home, cache, *offline, *sorted(sandbox.home.glob(_WRAPPERS))]


def _layered(folder: Path, named: set[str]) -> list[str]:
    """Mount a folder under a private layer that takes new files: many tools do not run without their
    cache."""
    entries = _entries(folder)
    if len(folder.parts) < 2 or entries is None:
        return []
    words = ["--size", str(_TMP_SIZE), "--tmpfs", str(folder)]
    for place in entries:
        if os.path.islink(place):
            words += ["--symlink", os.readlink(place), str(place)]
        elif _REBUILT.fullmatch(place.name):
            words += _seen(_below(place, named))
        elif os.path.isdir(place) or (os.path.isfile(place) and not place.name.endswith(_LOCKS)):
            words += ["--ro-bind-try", str(place), str(place)]
    return words


def _entries(folder: Path) -> list[Path] | None:
    """Return the entries of a folder; None where it cannot be listed, or is too large to be shown entry
    by entry."""
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise_if_of_machine(error)
        return None
    return found if len(found) <= _MOST_ENTRIES else None


def _hidden(sandbox: Sandbox) -> list[str]:
    if sandbox.home is None:
        return []
    words: list[str] = []
    for name in SECRET:
        place = sandbox.home / name
        mode = _mode(place)
        if place in (*sandbox.writable, *sandbox.shown) or not mode:
            continue
        # A link is hidden where it leads to: one cannot be mounted upon.
        real = str(_real(place))
        words += ["--tmpfs", real] if stat.S_ISDIR(mode) else ["--ro-bind", "/dev/null", real]
    return words


def _mode(place: Path) -> int:
    """Return the mode of a path, links followed; 0 where it is missing.

    Raises OSError for a fault of the machine: a secret would lie open.
    """
    try:
        return place.stat().st_mode
    except OSError as error:
        raise_if_of_machine(error)
        return 0


def _home(environ: Mapping[str, str]) -> Path | None:
    """The user's home without links; the account's own where HOME does not say."""
    named = environ.get("HOME", "")
    if not os.path.isabs(named):
        try:
            named = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            return None
    return _real(Path(named))


def agent_wrap(
    preset: Preset,
    *,
    kind: str,
    network: bool = True,
    readable: tuple[Path, ...] = (),
    passed: tuple[str, ...] = (),
    environ: Mapping[str, str] | None = None,
) -> Wrap | None:
    """How an agent of this row is wrapped: it writes its tree (unless it may only read), its output and its
    own places."""
    if kind == "none":
        return None
    known = os.environ if environ is None else environ
    home = _home(known)

    def around(argv: list[str], request: Request) -> list[str]:
        own = _own_places(home, preset, known) if home else ()
        tree = () if request.read_only else (request.tree,)
        seen = (*readable, request.tree) if request.read_only else readable
        given = (*passed, *preset.keys)
        shown = tuple(home / name.rstrip("/") for name in preset.reads) if home else ()
        sandbox = Sandbox(kind, (*own, *tree, request.output), seen, network, home, given, shown)
        return wrap(argv, sandbox, request.tree)

    return around


def _own_places(home: Path, preset: Preset, environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Create the agent's own folders where they are missing, as the agent would: a missing folder cannot
    be mounted."""
    places = []
    for name in preset.homes:
        place = place_of(preset, name, home, environ)
        if name.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
        elif not place.exists():
            continue
        places.append(place)
    return tuple(places)


def wrap_proof(
    argv: Sequence[str],
    tree: Path,
    *,
    kind: str,
    network: bool,
    writable: tuple[Path, ...] = (),
    readable: tuple[Path, ...] = (),
    passed: tuple[str, ...] = (),
) -> list[str]:
    """A test run: it writes its tree, the places named and its own temporary folder; no network unless
    allowed."""
    return wrap(argv, Sandbox(kind, (tree, *writable), readable, network, _home(os.environ), passed), tree)
