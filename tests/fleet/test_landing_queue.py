"""The landing queue: what waits is proven on what is to land before it, and by itself where that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from fleet.cluster_kit import waits_until
from fleet.hall import RUN, Hall

pytestmark = pytest.mark.journey

AHEAD = "which is to land first"


def hall_of(tmp_path: Path, check: str = "") -> Hall:
    """A suite that takes a while, and writes down each of its runs."""
    hall = Hall(tmp_path, ["one", "two", "three"])
    script = RUN.replace('echo "1..$n"', f'{check}\necho "1..$n"')
    hall.write("run.sh", f"echo run >> {hall.agent}/runs\nsleep 0.5\n{script}")
    hall.git("commit", "-qam", "test: a suite that takes a while")
    return hall


def run_together(hall: Hall) -> tuple[int, str]:
    hall.set("hold", "")
    child = hall.start("cycle", "run", "--jobs", "3")
    assert waits_until(lambda: len(hall.agent_calls()) == 3)
    hall.set("go", "")
    _, err = child.communicate(timeout=300)
    return child.returncode, err


def test_two_that_wait_are_proven_together_and_no_run_is_made_twice(tmp_path: Path) -> None:
    hall = hall_of(tmp_path)
    code, err = run_together(hall)
    assert code == 0, err
    assert AHEAD in err
    assert set(hall.statuses().values()) == {"completed"}
    runs = (hall.agent / "runs").read_text().count("run")
    assert runs == 1 + 3 * 2 + 2 * 2, "the baseline, RED and GREEN of three, and of two of them once more"
    assert hall.tdd("verify").code == 0


def test_where_one_is_not_proven_the_one_behind_it_lands_by_itself(tmp_path: Path) -> None:
    pair = '[ -f one.sh ] && [ -f two.sh ] && { n=$((n + 1)); bad=1; echo "not ok $n - pair"; }'
    hall = hall_of(tmp_path, pair)
    code, err = run_together(hall)
    assert code == 1, err
    said = hall.statuses()
    assert said["three"] == "completed"
    assert sorted((said["one"], said["two"])) == ["completed", "failed"], "only one of the pair fits"
    assert hall.tdd("verify").code == 0
