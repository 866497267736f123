"""Examples for every command, shown at the end of its help and in the manual page."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    # command: lines as they are typed, each with a comment where one is needed
    "": (
        "tdd init                       # once in a repository",
        'tdd plan add "an empty cart has a total of 0"',
        "tdd cycle next                 # RED, GREEN, REFACTOR, landed",
        "tdd status                     # where it stands, and what to run next",
    ),
    "init": (
        "tdd init",
        "tdd init --agent human",
        'tdd init --command "make test"',
        "tdd --yes init                 # fix what can be fixed, without asking",
    ),
    "plan": (
        'tdd plan add "an empty cart has a total of 0"',
        "tdd plan list",
        "tdd plan edit                  # the list as Markdown checkboxes",
    ),
    "plan add": (
        'tdd plan add "an empty cart has a total of 0"',
        'tdd plan add "a negative price is refused" --type bug --test-file tests/test_cart.py',
    ),
    "plan list": ("tdd plan list", "tdd plan list --all --json"),
    "plan show": ("tdd plan show 2", "tdd plan show k3fx --json"),
    "plan move": ("tdd plan move 4 --first", "tdd plan move k3fx --after 2"),
    "plan remove": ("tdd plan remove 3", "tdd plan remove k3fx"),
    "plan import": ("tdd plan import features.md", "tdd plan import -               # from standard input"),
    "plan edit": ("tdd plan edit", "EDITOR=nano tdd plan edit"),
    "plan from": ("tdd plan from feature.md", "tdd plan from --issue 42"),
    "plan mark-failed": ("tdd plan mark-failed 2 --report failure.json",),
    "cycle": ("tdd cycle next", "tdd cycle run --max-cycles 5", "tdd cycle show"),
    "cycle next": (
        "tdd cycle next",
        "tdd cycle next --phase         # stop after one phase",
        "tdd cycle next --watch         # you are the agent: judged on save",
        "tdd cycle next --jobs 3        # three items at once, each to the end of its cycle",
    ),
    "cycle run": (
        "tdd cycle run",
        "tdd cycle run --max-cycles 5 --budget 2.50",
        "tdd cycle run --jobs 4         # four items at once",
        "tdd cycle run --race claude,codex",
    ),
    "cycle resume": ("tdd cycle resume", 'tdd cycle resume --hint "use integer cents, not floats"'),
    "cycle status": ("tdd cycle status", "tdd cycle status --json"),
    "cycle show": ("tdd cycle show", "tdd cycle show 3"),
    "cycle abort": ("tdd cycle abort", 'tdd cycle abort --reason "not needed any more"'),
    "cycle approve": ("tdd cycle approve", "tdd cycle approve --item k3fx   # it is covered, as it seems"),
    "cycle reject": ("tdd cycle reject", 'tdd cycle reject --comment "this test is still needed"'),
    "status": ("tdd status", "tdd status --json"),
    "fix": ("tdd fix", "tdd fix -- make integration-test", "tdd fix --from-log ci.log --commit HEAD~1"),
    "errors": ("tdd errors list", "tdd errors show err_20260102_030405", "tdd errors fix 0405"),
    "errors list": ("tdd errors list", "tdd errors list --all --json"),
    "errors show": ("tdd errors show", "tdd errors show err_20260102_030405"),
    "errors prompt": ("tdd errors prompt last", "tdd errors prompt last --copy"),
    "errors fix": ("tdd errors fix last",),
    "errors close": ('tdd errors close last --reason "the machine was full"',),
    "errors classify": (
        "tdd errors classify ci.log",
        "tdd errors classify -           # from standard input",
    ),
    "log": ("tdd log -n 100", "tdd log --cycle 3", "tdd log --json"),
    "diff": ("tdd diff", "tdd diff green", "tdd diff 2 --stat"),
    "test": ("tdd test", "tdd test -- -x -k cart"),
    "show": ("tdd show HEAD", "tdd show HEAD~2 --json"),
    "rollback": ("tdd rollback", "tdd rollback HEAD~3"),
    "sync": ("tdd sync", "tdd sync upstream"),
    "verify": (
        "tdd verify",
        "tdd verify main..HEAD",
        "tdd verify --no-replay         # read the records, run no test",
    ),
    "prove": (
        "tdd prove                      # the commits since the trunk",
        "tdd prove main..HEAD --each",
        "tdd prove --staged",
    ),
    "stats": ("tdd stats", "tdd stats --json"),
    "dashboard": ("tdd dashboard", "tdd dashboard ~/shop ~/blog"),
    "report": ("tdd report html -o cycles.html", "tdd report read ci.log --exit-code 1"),
    "report read": (
        "tdd report read ci.log --exit-code 1",
        "tdd report read ci.log --exit-code 1 --report junit.xml --json",
    ),
    "report html": ("tdd report html -o cycles.html", "tdd report html main..HEAD -o branch.html"),
    "report markdown": ("tdd report markdown main..HEAD",),
    "agents": ("tdd agents", "tdd agents claude", "tdd agents reset claude"),
    "agents show": ("tdd agents show claude",),
    "agents reset": ("tdd agents reset claude",),
    "prompts": ("tdd prompts list", "tdd prompts show green"),
    "prompts show": ("tdd prompts show green",),
    "prompts list": ("tdd prompts list",),
    "config": (
        "tdd config --show-origin",
        "tdd config get test.command",
        "tdd config set agents.default claude",
        "tdd config set test.known_failing '[\"tests/test_old.py::test_slow\"]'",
    ),
    "config get": ("tdd config get test.command",),
    "config set": ("tdd config set agents.default claude", "tdd config set workspace.link '[\".venv\"]'"),
    "doctor": ("tdd doctor", "tdd doctor --no-tests --json"),
    "hooks": ("tdd hooks install",),
    "hooks install": ("tdd hooks install", "tdd hooks install --uninstall"),
    "hooks session": ("tdd hooks session < event.json",),
    "mcp": (
        "tdd mcp install claude         # write the client's configuration in this repository",
        "tdd mcp                        # the server, as clients start it",
    ),
    "mcp install": ("tdd mcp install claude",),
    "demo": ("tdd demo",),
    "gc": ("tdd gc --dry-run", "tdd gc --keep-days 7"),
    "worker": ("tdd worker tcp://scheduler:8786   # on each machine; `dask scheduler` runs once",),
    "man": ("tdd man > tdd.1", "tdd man | man -l -"),
}


def examples_of(path: str) -> str:
    """The end of a command's help; ``path``: its words, without ``tdd``. "" where there are none."""
    lines = EXAMPLES.get(path, ())
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines))) if lines else ""
