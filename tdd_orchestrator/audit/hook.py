"""Install the pre-push hook that verifies what is pushed. A user's own hook is never overwritten."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.repo.git import Git

NAME = "pre-push"
BACKUP = "pre-push.before-tdd"
_SCOPES = ("--local", "--global")
_MARK = "# tdd verify: installed by `tdd hooks install`; `tdd hooks install --uninstall` takes it away"

_SCRIPT = """\
#!/bin/sh
{mark}
pushed=$(cat)
kept="$(dirname "$0")/{kept}"
if [ -x "$kept" ]; then
    printf '%s\\n' "$pushed" | "$kept" "$@" || exit $?
fi
git rev-parse --quiet --verify {ref} >/dev/null || exit 0
printf '%s\\n' "$pushed" | while read -r local_ref local_oid remote_ref remote_oid; do
    case "$local_ref" in refs/heads/*|HEAD) ;; *) continue ;; esac
    case "$local_oid" in *[!0]*) ;; *) continue ;; esac
    range=$local_oid
    case "$remote_oid" in
        *[!0]*) git cat-file -e "$remote_oid^{{commit}}" 2>/dev/null && range="$remote_oid..$local_oid" ;;
    esac
    {tdd} verify "$range" >&2 || {{
        echo "tdd: not pushed: what $local_ref holds is not proven. To push all the same: git push --no-verify" >&2
        exit 1
    }}
done
"""


def install(git: Git, common_dir: Path, work_tree: Path, ref: str = "refs/notes/tdd") -> str:
    """Install the hook where git looks for it; return what was done.

    Raises Refused if that is not this repository's folder.
    """
    folder = _folder(git, common_dir, work_tree)
    path = folder / NAME
    text = _SCRIPT.format(mark=_MARK, kept=BACKUP, ref=ref, tdd=_tdd())
    done = f"{path} verifies what is pushed."
    if path.exists() or path.is_symlink():
        if not _ours(path):
            if (folder / BACKUP).exists():
                raise Refused(
                    f"There are two hooks already: {path} and {BACKUP} beside it.",
                    "Join them, then run this again.",
                )
            os.rename(path, folder / BACKUP)
            done = f"{path} verifies what is pushed; your own hook is kept as {BACKUP} and is asked first."
        elif path.read_text("utf-8", "replace") == text:
            return f"{path} is installed already."
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return done


def uninstall(git: Git, common_dir: Path, work_tree: Path) -> str:
    """Remove our hook and restore the user's own."""
    folder = _folder(git, common_dir, work_tree)
    path = folder / NAME
    if not _ours(path):
        return "There is no hook of tdd's to take away."
    path.unlink()
    if (folder / BACKUP).exists():
        os.rename(folder / BACKUP, path)
        return f"{path} is your own hook again."
    return f"{path} is gone."


def _ours(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and _MARK in path.read_text("utf-8", "replace")


def _folder(git: Git, common_dir: Path, work_tree: Path) -> Path:
    """Return the folder where the user's git looks for hooks.

    Our own git calls ignore it, so the user's configuration is read.
    """
    values = (git.line("config", scope, "--get", "core.hooksPath", ok=(0, 1)) for scope in _SCOPES)
    chosen = next((value.strip() for value in values if value), "")
    if not chosen:
        return common_dir / "hooks"
    folder = work_tree / os.path.expanduser(chosen)
    if common_dir in folder.resolve().parents or common_dir == folder.resolve():
        return folder
    raise Refused(
        f"core.hooksPath is {chosen}: the hooks there are shared, or kept by another tool.",
        f"Add this line to your {NAME} hook: tdd verify @{{push}}..HEAD",
    )


def _tdd() -> str:
    """Return the command of this installation.

    With -P: the hook starts in the work tree, whose modules must not be imported.
    """
    import shlex

    return shlex.join([sys.executable, "-P", "-m", "tdd_orchestrator"])
