"""The scripts behind a test command are found through make, npm and one another; what they test is not one of them."""

from __future__ import annotations

import json

import pytest

from tdd_orchestrator.runners.frameworks.python import PYTEST
from tdd_orchestrator.runners.wrappers import scripts_behind

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
        (("make", "test"), {*CHECK, "Makefile", "tools/build.sh"}),
        (("make", "look"), {"Makefile"}),
        (("npm", "test"), {"tools/run.js"}),
        (("sh", "scripts/check.sh"), CHECK),
        (("./scripts/check.sh",), CHECK),
        (("/usr/bin/python3.11", "./tools/run.js"), {"tools/run.js"}),
        ((".venv/bin/python", "tools/run.js"), {"tools/run.js"}),
        (("sh", "-c", "cd src; sh ../scripts/check.sh"), set()),
        (("python", "-m", "pytest", "-q"), set()),
        (("node", "--test"), set()),
    ],
)
def test_scripts_behind_a_command(write, command, found):
    assert scripts_behind(command, write(FILES)) == found


def test_what_npm_runs_around_a_script_is_behind_the_command(write):
    scripts = {"pretest": "npm run build", "build": "node tools/build.js", "test": "npm run unit && npm run lint",
               "unit": "node --test", "lint": "node tools/lint.js", "postlint": "sh ci/size.sh", "other": "node tools/no.js"}  # fmt: skip
    names = ("tools/build.js", "tools/lint.js", "ci/size.sh", "tools/no.js")
    tree = write({"package.json": json.dumps({"scripts": scripts}), **dict.fromkeys(names, "")})
    assert scripts_behind(("npm", "test"), tree) == set(names[:3])


def test_they_are_named_from_the_root(write):
    tree = write({f"web/{name}": text for name, text in FILES.items()})
    assert scripts_behind(("npm", "test"), tree, "web") == {"web/tools/run.js"}


READ_IN = {
    "makefile": ({"Makefile": "include common.mk mk/*.mk\n-include none.mk\ntest:\n\tpytest $(ARGS)\n", "common.mk": "sinclude more.mk\n",
                  "more.mk": "", "mk/a.mk": "", "other.mk": ""}, ("make", "test"), {"Makefile", "common.mk", "more.mk", "mk/a.mk"}),
    "justfile": ({"justfile": "import 'ci.just'\ntest:\n    pytest\n", "ci.just": ""}, ("just", "test"), {"justfile", "ci.just"}),
    "taskfile": ({"Taskfile.yml": "includes:\n  ci: ./ci.yml\n", "ci.yml": ""}, ("task", "test"), {"Taskfile.yml", "ci.yml"}),
    "tox": ({"tox.ini": "[testenv]\ncommands = pytest\n"}, ("python", "-m", "tox"), {"tox.ini"}),
    "tox behind make": ({"tox.ini": "[testenv]\ncommands =\n    pytest\n", "Makefile": "test:\n\techo tests\n\ttox -q\n"},
                        ("make", "test"), {"Makefile", "tox.ini"}),
    "tox in a shell": ({"tox.ini": "[testenv]\ncommands = pytest\n"}, ("sh", "-c", "tox && ruff check"), {"tox.ini"}),
    "a container": ({"compose.yml": "services: {}\n"}, ("docker", "compose", "run", "tests", "pytest"), {"compose.yml"}),
    "sourced": ({"run/test.sh": ". ./env.sh\nsource lib/more.sh; pytest -q\n", "env.sh": "", "lib/more.sh": ""},
                ("sh", "run/test.sh"), {"run/test.sh", "env.sh", "lib/more.sh"}),
    "beside": ({"run/test.sh": "if true; then . \"$(dirname \"$0\")/env.sh\"; fi\nsource \"$HERE/lib.sh\"\n. ${BASH_SOURCE%/*}/up.sh\npytest\n",
                "run/env.sh": "", "run/lib.sh": "", "run/up.sh": ""}, ("sh", "run/test.sh"), {"run/test.sh", "run/env.sh", "run/lib.sh", "run/up.sh"}),
    "from below": ({"run/test.sh": ". ../env.sh\n. .\n. ..\n. **x\n. /etc/profile\npytest\n", "env.sh": ""}, ("sh", "run/test.sh"), {"run/test.sh", "env.sh"}),
    "what it tests": ({"run/test.sh": ". ./double.sh\n[ $(double 2) = 4 ]\n", "double.sh": ""}, ("sh", "run/test.sh"), {"run/test.sh"}),
    "words of others": ({"run/test.sh": "find . env.sh\nls .\npytest . env.sh\n", "env.sh": ""}, ("sh", "run/test.sh"), {"run/test.sh"}),
    "python": ({"run/test.py": "import os\nfrom options import ARGS\nimport shop\n", "run/options.py": "", "shop.py": ""},
               ("python", "run/test.py"), {"run/test.py", "run/options.py"}),
    "python at the root": ({"run_tests.py": "import shop\n", "shop.py": ""}, ("python", "run_tests.py"), {"run_tests.py"}),
}  # fmt: skip


@pytest.mark.parametrize("name", READ_IN)
def test_what_they_read_in_before_a_runner_starts(write, name):
    files, command, found = READ_IN[name]
    assert scripts_behind(command, write(files), words=PYTEST.signs.words) == found
