"""The reports that travel: complete, small, self-contained, and safe with hostile records."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from kit import Kata
from simulated_night import Night, import_rows

from tdd_orchestrator.app.analytics import Analytics
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.history.cycles import Attempt, Reader
from tdd_orchestrator.web import diffs
from tdd_orchestrator.web.reports import html

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)> \"'` ${7*7} {{7*7}} [x](javascript:alert(3)) @everyone |"


class Tags(HTMLParser):
    """Every element and attribute of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Kata:
    kata = Kata(tmp_path_factory.mktemp("landed"))
    red = "write('tests/test_double.py', 'from double import double\\n\\n\\ndef test_doubles():\\n    assert double(2) == 4\\n')"
    kata.script(red=["write('double.py', 'x = 1')", red])
    kata.plan(EVIL)
    assert kata.next().code == 0
    return kata


def test_the_page_has_test_output_change_and_rejections(landed: Kata, tmp_path: Path) -> None:
    landed.tdd("report", "html", "-o", str(tmp_path / "report.html"), "--title", "Pull request 7")
    text = (tmp_path / "report.html").read_text()
    assert "Pull request 7" in text
    assert "<dt>Items landed</dt><dd>1 of 1</dd>" in text
    assert "tests/test_double.py::test_doubles" in text
    assert "ModuleNotFoundError: No module named &#39;double&#39;" in text
    assert "return number * 2" in text
    assert "1 rejected attempt" in text
    assert "double.py" in text


def test_the_page_needs_nothing_else_and_runs_nothing(landed: Kata) -> None:
    text = landed.tdd("report", "html").out
    tags = Tags(text)
    assert not {"script", "link", "img", "iframe", "object"} & set(tags.names)
    assert not [one for one in tags.attributes if one[0].startswith("on") or one[0] == "src"]
    assert {value for name, value in tags.attributes if name == "href"} <= {"#c1"}
    assert "url(" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_markdown_is_only_text(landed: Kata) -> None:
    out = landed.tdd("report", "markdown").out
    row = out.splitlines()[-1]
    assert "✅ landed" in row
    assert "<script" not in out
    assert len(re.split(r"(?<!\\)\|", row)) == 9, "no column of its own"
    assert "@everyone" not in row
    assert "tokens unknown, cost unknown" in out, "its agents reported none"
    assert not re.search(r"(?<!\\)\]\(", row)


def test_markdown_says_why_a_cycle_was_aborted(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    kata.script(red=["print('I could not run the tests because the package freezegun is not installed.')"])
    assert kata.next().code == 1
    row = kata.tdd("report", "markdown").out.splitlines()[-1]
    assert "❌ aborted: RED: The agent lacks a package: I could not run the tests" in row


def test_a_range_and_a_cycle_are_chosen(landed: Kata) -> None:
    number = landed.tdd("report", "markdown", "1").out
    assert "1 of 1 items landed" in number
    assert landed.tdd("report", "markdown", "HEAD~1..HEAD").out.count("✅") == 1
    assert "0 of 0 items" in landed.tdd("report", "markdown", "HEAD..HEAD").out
    base, head = (landed.git("rev-parse", name) for name in ("HEAD~1", "HEAD"))
    assert f"1 cycle of {base[:12]}..{head[:12]})" in landed.tdd("report", "markdown", f"{base}..{head}").out
    refused = landed.tdd("report", "html", "no-such-thing")
    assert (refused.code, "Traceback" in refused.err) == (2, False)


def test_a_rebased_or_squashed_range_is_found_by_its_trailers(landed: Kata) -> None:
    landed.git("branch", "copy", "HEAD")
    landed.git("notes", "--ref=other", "list")
    landed.git("checkout", "-q", "-b", "rebased", "HEAD~2")
    landed.git("commit", "-q", "--allow-empty", "-m", "in between")
    landed.git("cherry-pick", "copy~1", "copy")
    assert landed.tdd("report", "markdown", "HEAD~2..HEAD").out.count("✅") == 1
    landed.git("checkout", "-q", "main")


def test_fifty_cycles_are_below_two_megabytes(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    import_rows(kata.root, Night().rows(50))
    kata.tdd("report", "html", "-o", str(tmp_path / "report.html"))
    text = (tmp_path / "report.html").read_text()
    assert text.count("<article") == 50
    assert len(text.encode()) < 2_000_000
    assert len(kata.tdd("report", "markdown").out) < 65_536


class Wordy(Reader):
    """Long changes of short lines, each with characters that HTML writes as five."""

    def change(self, attempt: Attempt) -> str:
        lines = "".join(f"+    say('{number}')\n" for number in range(900))
        return (
            f"diff --git a/{attempt.phase}.py b/{attempt.phase}.py\n--- /dev/null\n@@ -0,0 +1,900 @@\n{lines}"
        )

    def failing_output(self, attempt: Attempt) -> str:
        return "assert 'é' < '\u4e2d'\n" * 400


def test_fifty_cycles_of_long_changes_are_below_two_megabytes_too(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    import_rows(kata.root, Night().rows(50))
    with OpenRepository(kata.root) as repository:
        found = Analytics.of(repository, at=tmp_path / "index.sqlite3")
        found.update()
        reader = Wordy(found.index, repository.store, repository.git, repository.objects)
        text = html(found.cycles(), reader, title="x", scope="y")
        short = html(found.cycles("7"), reader, title="x", scope="y")
        found.close()
    assert len(text.encode()) < 2_000_000
    shown = text.count("The rest of this change is not shown.")
    assert shown == text.count(">Change</summary>") > 100
    assert len(short) > 2 * len(text) / 50, "alone, it may be longer"


def test_without_a_cycle_it_says_so(tmp_path: Path) -> None:
    assert "No cycle is in this range." in Kata(tmp_path).tdd("report", "html").out


def test_a_file_that_cannot_be_written_is_a_sentence(landed: Kata, tmp_path: Path) -> None:
    done = landed.tdd("report", "html", "-o", str(tmp_path / "no" / "such" / "folder.html"))
    assert done.code == 2
    assert "cannot be written" in done.err


def test_the_badge_says_how_many_phases_hold(landed: Kata, tmp_path: Path) -> None:
    assert landed.tdd("verify", "--badge", str(tmp_path / "badge.svg")).code == 0
    text = (tmp_path / "badge.svg").read_text()
    assert re.search(r"verified: (\d)/\1", text)
    assert "#2da44e" in text
    assert landed.tdd("verify", "--no-replay", "--badge", str(tmp_path / "badge.svg")).code == 0
    assert "verified: not replayed" in (tmp_path / "badge.svg").read_text()


DIFF = """\
diff --git a/a.py b/a.py
index 1..2 100644
--- a/a.py
+++ b/a.py
@@ -1,4 +1,5 @@ def f():
 same
-old <b>
---- not a header
+new
+more
+another
 end
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/old name.py b/new name.py
similarity index 100%
rename from old name.py
rename to new name.py
diff --git a/logo.png b/logo.png
new file mode 100644
Binary files /dev/null and b/logo.png differ
"""


def test_a_diff_becomes_two_columns() -> None:
    first, gone, renamed, binary = diffs.files(DIFF)
    assert (first.path, first.added, first.removed) == ("a.py", 3, 2)
    assert [(row.kind, row.left_line, row.right_line) for row in first.rows] == [
        ("hunk", 0, 0), ("context", 1, 1), ("change", 2, 2), ("change", 3, 3), ("added", 0, 4), ("context", 4, 5),
    ]  # fmt: skip
    assert (first.rows[3].left, first.rows[3].right) == ("--- not a header", "more")
    assert (gone.path, gone.note, gone.removed) == ("gone.py", "deleted", 1)
    assert (renamed.path, renamed.note) == ("new name.py", "renamed from old name.py")
    assert (binary.path, binary.note) == ("logo.png", "new")


@pytest.mark.parametrize(
    "text", ["", "no diff at all", "@@ -1 +1 @@\n-x", "diff --git", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"]
)
def test_a_text_that_is_no_diff_is_none(text: str) -> None:
    assert len(diffs.files(text)) == text.count("+++")
