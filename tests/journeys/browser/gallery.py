"""A repository that real cycles left in every state that the dashboard shows; also that of its pictures."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kit import Kata

TITLES = (
    "a price without discount is count times each",
    "the sum of an invoice has all its lines",
    "a total is rounded to cents, halves to the even neighbor",
    "an invoice has a number that is never used twice",
    "a price of nothing is zero",
)
_TEST = """
write("tests/test_{name}.py", '''
from {name} import {name}


def test_{name}():
    assert {name}({given}) == {wanted}
''')
"""
_CODE = """
write("{name}.py", '''
def {name}({arguments}):
    \"\"\"{says}\"\"\"
    return {value}
''')
"""
_OF_A_USER = """
import subprocess
open({path!r}, "w").write("NEXT = 1\\n")
for words in (["add", "-A"], ["commit", "-qm", "feat: numbers of my own"]):
    subprocess.run(["git", "-C", {root!r}, *words], check=True)
"""


_FLAKY = """
import pathlib


def test_sometimes():
    counter = pathlib.Path({counter!r})
    runs = len(counter.read_text()) if counter.exists() else 0
    counter.write_text("x" * (runs + 1))
    assert runs != 1
"""
_USAGE = (
    {"type": "system", "subtype": "init", "session_id": "s", "model": "m"},
    {"type": "result", "subtype": "success", "is_error": False, "result": "done", "session_id": "s",
     "total_cost_usd": 0.02, "usage": {"input_tokens": 90, "output_tokens": 10}},
)  # fmt: skip


def failing_test(name: str, given: str, wanted: str) -> str:
    return _TEST.format(name=name, given=given, wanted=wanted)


def code(name: str, arguments: str, value: str, says: str = "As its test says.") -> str:
    return _CODE.format(name=name, arguments=arguments, value=value, says=says)


def landed(kata: Kata) -> None:
    """Two behaviors; the first RED of the second one breaks a rule."""
    red = failing_test("price", "2, 50", "100")
    kata.script(red=[red], green=[code("price", "count, each", "count * each")])
    kata.plan(TITLES[0])
    assert kata.next().code == 0
    green = code("total", "prices", "sum(prices)")
    red = failing_test("total", "[1, 2, 3]", "6")
    kata.script(red=[f"if os.environ['TDD_ATTEMPT'] == '1':\n    open('price.py', 'a').write('# x')\n{red}"])
    kata.script(green=[green])
    kata.plan(TITLES[1])
    assert kata.next().code == 0


def failed(kata: Kata) -> str:
    """Given up after a retry; its fix would work."""
    right = code("cents", "amount", "round(amount, 2)")
    kata.script(
        red=[failing_test("cents", "0.125", "0.12")], green=[code("cents", "amount", "round(amount, 1)")]
    )
    kata.script(fix=[right])
    item = kata.plan(TITLES[2])
    assert kata.next().code == 1
    return item


def parked(kata: Kata) -> str:
    """Finished, and in conflict with what the user committed meanwhile."""
    user = _OF_A_USER.format(path=str(kata.root / "number.py"), root=str(kata.root))
    kata.script(
        red=[failing_test("number", "41", "42")], green=[code("number", "last", "last + 1")], refactor=[user]
    )
    item = kata.plan(TITLES[3])
    assert kata.next().code == 1
    kata.script(refactor=[""])
    return item


def covered(kata: Kata) -> str:
    """Its test passes at once: a person is asked."""
    kata.script(red=[failing_test("price", "0, 50", "0").replace("test_price", "test_nothing")])
    item = kata.plan(TITLES[4])
    assert kata.next().code in (0, 3)
    return item


def acceptance(kata: Kata) -> str:
    """An item whose test waits for its two children."""
    kata.script(red=[failing_test("invoice", "[(2, 50)]", "'Total: 100'")])
    outer = kata.plan("an invoice is printed with its total", "--type", "acceptance")
    kata.plan("each line shows its count and price", "--parent", outer)
    kata.plan("the last line is the total", "--parent", outer, "--hours", "0.5")
    assert kata.next().code == 0
    return outer


def removing(kata: Kata) -> str:
    """Waits for a yes: the test of an old behavior goes."""
    gone = 'os.remove("tests/test_greet.py")\n'
    child = failing_test("line", "2, 50", "'2 x 50'")
    kata.script(red=[gone + child], green=[code("line", "count, each", "f'{count} x {each}'")])
    assert kata.next().code == 3
    return kata.records("cycle_started")[-1]["item_id"]


def gallery(folder: Path) -> Kata:
    kata = Kata(folder, config="[retry]\nmax_retries = 1\ndelays = [0]\nfix_delays = [0]\n")
    for make in (landed, failed, parked, covered, acceptance):
        make(kata)
    kata.plan("a customer in another country pays no VAT", "--hours", "2", "--priority", "high")
    kata.plan("an overdue invoice has interest from the day after its due date, 30 days if none was agreed")
    removing(kata)
    return kata


def measured(folder: Path) -> Kata:
    """A repository whose cycles give every table of the analytics a row; the agent says what its runs cost."""
    kata = Kata(folder)
    kata.write("tests/test_flaky.py", _FLAKY.format(counter=str(folder / "runs")))
    kata.write("price.py", "PRICES = {}\n")
    kata.write("racer.py", "import sys, time\nsys.stdin.read()\ntime.sleep(300)\n")
    program = kata.agent / "claude"
    script = (kata.agent / "agent.py").read_text().replace("__file__", repr(str(kata.agent / "agent.py")))
    program.write_text(
        f"#!{sys.executable}\n{script}" + "".join(f"print({json.dumps(one)!r})\n" for one in _USAGE)
    )
    program.chmod(0o755)
    racer = json.dumps([sys.executable, str(kata.root / "racer.py")])
    kata.configure(
        f'[agents.paid]\npreset = "claude"\ncommand = [{json.dumps(str(program))}]\n[agents.slow]\ncommand = {racer}\n'
    )
    kata.write(
        "tdd.toml", (kata.root / "tdd.toml").read_text().replace('default = "scripted"', 'default = "paid"')
    )
    kata.git("add", "-A")
    kata.git("commit", "-qm", "chore: prices")
    for name in ("cents", "sums"):
        _with_a_rule_broken(kata, name)
    failed(kata)
    error = kata.records("cycle_ended")[-1]["error_id"]
    kata.script(green=[code("cents", "amount", "round(amount, 2)")])
    assert kata.tdd("errors", "fix", error).code == 0
    kata.script(red=[failing_test("last", "[1, 2]", "2")], green=[code("last", "rows", "rows[-1]")])
    kata.plan("the last line is the total")
    assert kata.next("--race", "slow,paid").code == 0
    return kata


def _with_a_rule_broken(kata: Kata, name: str) -> None:
    """RED changes production code three times, and is right then."""
    broken = "n = os.environ['TDD_ATTEMPT']\nif n != '4':\n    open('price.py', 'a').write(f'# {n}')\n"
    kata.script(red=[broken + failing_test(name + "_of", "1", "2")], green=[code(name + "_of", "x", "x + 1")])
    kata.plan(f"{name} are counted")
    done = kata.next()
    assert done.code == 0, done.out + done.err
