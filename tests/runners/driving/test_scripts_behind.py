"""The scripts behind a test command are found through make, npm and one another; what they test is not one of them."""

from __future__ import annotations

import pytest

from tdd_orchestrator.runners.wrappers_scripts import scripts_behind

FILES = {
    "Makefile": "test: build\n\tsh scripts/check.sh --all\nbuild:\n\t./tools/build.sh\nlook:\n\t./double.sh 2 | diff - expected\n",
    "scripts/check.sh": "#!/bin/sh\nset -e\nnode tools/run.js src/a.js && bash ./more-tests.sh\n",
    "tools/run.js": "",
    "tools/build.sh": "",
    "more-tests.sh": "sh scripts/check.sh\n",
    "double.sh": "",
    "src/a.js": "",
    "package.json": '{"scripts": {"test": "npm run unit", "unit": "NODE_ENV=test node --no-warnings tools/run.js src/a.js"}}',
}
CHECK = {"scripts/check.sh", "tools/run.js", "more-tests.sh"}


@pytest.mark.parametrize(
    ("command", "found"),
    [
        (("make", "test"), {*CHECK, "tools/build.sh"}),
        (("make", "look"), set()),
        (("npm", "test"), {"tools/run.js"}),
        (("sh", "scripts/check.sh"), CHECK),
        (("./scripts/check.sh",), CHECK),
        (("sh", "-c", "cd src; sh ../scripts/check.sh"), set()),
        (("python", "-m", "pytest", "-q"), set()),
        (("node", "--test"), set()),
    ],
)
def test_scripts_behind_a_command(write, command, found):
    assert scripts_behind(command, write(FILES)) == found


def test_they_are_named_from_the_root(write):
    tree = write({f"web/{name}": text for name, text in FILES.items()})
    assert scripts_behind(("npm", "test"), tree, "web") == {"web/tools/run.js"}
