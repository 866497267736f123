"""The commented configuration file that ``tdd init`` writes. Pure."""

from __future__ import annotations

import json

from tdd_orchestrator.model.policy import RetryPolicy


def tdd_toml(command: str, framework: str, links: tuple[str, ...], agent: str, *, prefix: str = "") -> str:
    """``prefix`` is ``tool.tdd.`` for a table in pyproject.toml."""
    known = f'"{framework}"' if framework and framework != "unknown" else '"auto"'
    shared = json.dumps(list(links))
    chosen = json.dumps(agent)
    retry = RetryPolicy()
    return f"""\
[{prefix}test]
command = {json.dumps(command)}     # what you run yourself; split into words as a shell would
framework = {known}                 # how its output and reports are read
# timeout = 600                     # seconds
# known_failing = []                # tests that fail already and are not this tool's business
# protect = []                      # more paths that GREEN and REFACTOR may not touch
# flaky_reruns = 2                  # unexpected failures are run again so often

[{prefix}agents]
default = {chosen}                  # who works: a name that `tdd agents` lists, or a table of your own below
# green = "cheap"                   # another one for one role
# [{prefix}agents.cheap]
# command = ["./my-agent", "--fast"]  # the prompt comes on standard input, the work tree is the current folder
# timeout = 300                     # seconds
# fallback = "claude"

[{prefix}workspace]
link = {shared}                     # untracked things that the work trees share with yours
# setup = "npm ci"                  # run once in each work tree, and again when a lock file changed
# sandbox = "auto"                  # bubblewrap where it works

# [{prefix}retry]
# max_retries = {retry.max_retries}
# delays = {list(retry.delays)}                # seconds

# [{prefix}budget]
# cost = 5.0                        # dollars per cycle; 0 = no limit
"""
