"""The pre-push hook: what is about to be pushed is verified first. A hook of the user's own is never
overwritten."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.repo.git import Git

NAME = "pre-push"
KEPT = "pre-push.before-tdd"
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
    """Put the hook where git looks for it; returns what was done. Refused where that is not this
    repository's."""
    folder = _folder(git, common_dir, work_tree)
    path = folder / NAME
    text = _SCRIPT.format(mark=_MARK, kept=KEPT, ref=ref, tdd=_tdd())
    said = f"{path} verifies what is pushed."
    if path.exists() or path.is_symlink():
        if not _ours(path):
            if (folder / KEPT).exists():
                raise Refused(
                    f"There are two hooks already: {path} and {KEPT} beside it.",
                    "Join them, then run this again.",
                )
            os.rename(path, folder / KEPT)
            said = f"{path} verifies what is pushed; your own hook is kept as {KEPT} and is asked first."
        elif path.read_text("utf-8", "replace") == text:
            return f"{path} is installed already."
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return said


def uninstall(git: Git, common_dir: Path, work_tree: Path) -> str:
    """Take our hook away, and put the user's own back where it was."""
    folder = _folder(git, common_dir, work_tree)
    path = folder / NAME
    if not _ours(path):
        return "There is no hook of tdd's to take away."
    path.unlink()
    if (folder / KEPT).exists():
        os.rename(folder / KEPT, path)
        return f"{path} is your own hook again."
    return f"{path} is gone."


def _ours(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and _MARK in path.read_text("utf-8", "replace")


def _folder(git: Git, common_dir: Path, work_tree: Path) -> Path:
    """Where the user's git looks for hooks. Our own calls look nowhere, so their configuration is asked for
    it."""
    asked = (git.line("config", scope, "--get", "core.hooksPath", ok=(0, 1)) for scope in _SCOPES)
    chosen = next((said.strip() for said in asked if said), "")
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
    """The command by which this very installation is called; the hook starts in the work tree, whose modules
    are none of ours (-P), whatever they are called."""
    import shlex

    return shlex.join([sys.executable, "-P", "-m", "tdd_orchestrator"])
