"""Run by the Python that has Playwright: opens the dashboard in Chromium and answers with what it saw, as JSON.

``look.py CHROMIUM ADDRESS SCRIPT [FOLDER]``; SCRIPT is one of the functions below, FOLDER is for screenshots.
"""

from __future__ import annotations

import base64
import json
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import axe_playwright_python
from playwright.sync_api import BrowserContext, Dialog, Page, expect, sync_playwright

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
PAGES = (
    "",
    "/cycles",
    "/cycles/3",
    "/cycles/4",
    "/cycles/5",
    "/cycles/7",
    "/errors",
    "/analytics",
    "/flaky",
    "/agents",
    "/audit",
    "/audit/commits",
)


NEWEST_IS_IN_VIEW = """output => {
    const range = document.createRange();
    range.selectNodeContents(output);
    const line = [...range.getClientRects()].at(-1), frame = output.getBoundingClientRect();
    return frame.top <= line.top && line.bottom <= frame.bottom;
}"""

A_LINK_IS_CUT = """[...document.querySelectorAll(".bar nav a, #theme")].some(
    (link) => link.getBoundingClientRect().right > link.parentElement.getBoundingClientRect().right + 1)"""


def serious(context: BrowserContext, page: Page) -> list[str]:
    """What axe finds that is serious or critical; run beside the page, whose policy allows no script of ours."""
    text = f"{AXE}; axe.run().then(found => JSON.stringify(found.violations))"
    words = {"expression": text, "awaitPromise": True, "returnByValue": True}
    answer = context.new_cdp_session(page).send("Runtime.evaluate", words)
    found = json.loads(answer["result"]["value"])
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def everywhere(context: BrowserContext, page: Page, root: str, folder: Path | None) -> dict[str, Any]:
    """Every page at three widths in both themes: findings of axe, and pages that are wider than the window."""
    findings, wide, seen = [], [], 0
    for width in (375, 1024, 1920):
        for theme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme)
            for path in PAGES:
                page.goto(root + path)
                page.wait_for_timeout(250)
                seen += 1
                findings += [f"{path} {width} {theme}: {one}" for one in serious(context, page)]
                if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                    wide.append(f"{path} {width}")
                if page.evaluate(A_LINK_IS_CUT):
                    wide.append(f"{path} {width}: links to the pages are cut off")
    return {"axe": findings, "wide": wide, "pages": seen}


def pictures(context: BrowserContext, page: Page, root: str, folder: Path | None) -> dict[str, Any]:
    """The pictures of the documents: three pages at three widths in both themes, as WebP."""
    assert folder is not None
    camera = context.new_cdp_session(page)
    sizes = 0
    for width, height in ((375, 812), (1280, 900), (1920, 1000)):
        for theme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=theme)
            for path, name in (("", "plan"), ("/cycles/3", "cycle"), ("/analytics", "analytics")):
                page.goto(root + path)
                if name == "cycle":
                    page.get_by_text("Change", exact=True).nth(1).click()
                    expect(page.locator(".split .r").first).to_be_visible()
                page.wait_for_timeout(300)
                shot = camera.send("Page.captureScreenshot", {"format": "webp", "quality": 75})
                data = base64.b64decode(shot["data"])
                (folder / f"dashboard-{name}-{width}-{theme}.webp").write_bytes(data)
                sizes += len(data)
    return {"bytes": sizes}


def report(context: BrowserContext, page: Page, root: str, folder: Path | None) -> dict[str, Any]:
    """The report in the folder, read from the disk: findings of axe, and the widths that it does not fit in."""
    assert folder is not None
    findings, wide = [], []
    for width in (375, 1280, 1920):
        for theme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme)
            page.goto((folder / "report.html").as_uri())
            findings += [f"{width} {theme}: {one}" for one in serious(context, page)]
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wide.append(width)
    return {"axe": findings, "wide": wide, "text": page.locator("main").inner_text()}


def numbers(context: BrowserContext, page: Page, root: str, folder: Path | None) -> dict[str, Any]:
    """Each table of the analytics: its title, its first row, the cycles behind it, the SQL that opens; a link to a
    cycle that is followed; and the forecast on a card of the plan."""
    page.goto(root + "/analytics")
    tables = {}
    for table in page.locator(".metric").all():
        table.get_by_text("SQL", exact=True).click()
        expect(table.locator("details pre")).to_be_visible()
        tables[table.locator("h2").inner_text()] = {
            "row": table.locator("tbody tr").first.inner_text(),
            "cycles": table.locator("tbody tr").first.locator(".cycles a").count(),
            "sql": table.locator("details pre").inner_text(),
        }
    rest = page.locator("main .quiet").all_inner_texts()
    findings = serious(context, page)
    link = page.locator(".metric", has_text="Races of agents").locator(".cycles a").first
    number = link.inner_text()
    link.click()
    expect(page.locator("main")).to_contain_text(f"cycle {number}")
    page.goto(root)
    forecast = page.locator(".card", has_text="forecast").all_inner_texts()
    return {"tables": tables, "rest": rest, "axe": findings, "forecast": forecast}


def plan(context: BrowserContext, page: Page, root: str, folder: Path | None) -> dict[str, Any]:
    """What the failed card and the fix card show."""
    page.goto(root)
    failed, fix = page.locator(".card.failed"), page.locator(".card.fix")
    expect(failed).to_have_count(1)
    icon = failed.locator(".icon")
    shown = failed.evaluate("card => getComputedStyle(card).backgroundColor")
    plain = page.locator(".card.planned:not(.fix)").first.evaluate(
        "card => getComputedStyle(card).backgroundColor"
    )
    return {
        "tooltip": icon.get_attribute("title"),
        "label": icon.get_attribute("aria-label"),
        "failed": failed.inner_text(),
        "fix": fix.inner_text(),
        "red": shown != plain,
        "report": failed.get_by_text("View report").get_attribute("href"),
        "parent": fix.locator(".stripe a").get_attribute("href"),
    }


def mend(context: BrowserContext, page: Page, root: str, folder: Path | None) -> dict[str, Any]:
    """One click launches the fix; the page follows it to its end without being loaded again."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(root)
    page.evaluate("window.loadedOnce = true")
    page.get_by_role("button", name="Launch fix").click()
    dialog = page.locator("#dialog")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Copy the prompt").click()
    expect(dialog.locator("#copied")).to_contain_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    links = dialog.locator("a").all_inner_texts()
    dialog.get_by_role("button", name="Run the fix now").click()
    expect(page.locator(".column.in_progress .card.fix")).to_have_count(1, timeout=60_000)
    live = page.locator("#jobs pre").inner_text(timeout=30_000)
    expect(page.locator(".column.done .card.fix")).to_have_count(1, timeout=120_000)
    expect(page.locator(".card.failed")).to_have_count(0, timeout=30_000)
    expect(page.locator("#jobs .pill")).to_have_text("done", timeout=30_000)
    lines = page.locator("#jobs pre").text_content()
    newest = page.locator("#jobs pre").evaluate(NEWEST_IS_IN_VIEW)
    return {
        "newest": newest,
        "copied": copied,
        "links": links,
        "live": live,
        "lines": lines,
        "same": page.evaluate("window.loadedOnce === true"),
    }


def act(page: Page, name: str, meaning: str, *, live: bool = False) -> None:
    """Press a button that starts a command, and wait until it ended as ``meaning`` says; ``live``: the
    timeline shows the attempt that runs meanwhile."""
    page.locator("#jobs").evaluate("jobs => jobs.replaceChildren()")
    page.get_by_role("button", name=name).click()
    if live:
        expect(page.locator(".timeline .open")).to_contain_text("at work", timeout=60_000)
    expect(page.locator("#jobs .pill")).to_have_text(meaning, timeout=120_000)


def resume(context: BrowserContext, page: Page, root: str, folder: Path | None) -> dict[str, Any]:
    """A cycle that was given up goes on with a hint, and its page follows to the end."""
    page.goto(root + "/cycles/1")
    page.locator("#said").fill("Twice the number; see --help")
    act(page, "Resume with this hint", "done")
    expect(page.locator("main > .row .pill")).to_have_text("landed")
    expect(page.locator("form.act")).to_have_count(0)
    return {"timeline": page.locator(".timeline").inner_text()}


def answer(context: BrowserContext, page: Page, root: str, folder: Path | None) -> dict[str, Any]:
    """What waits is answered: covered yes, removed tests yes; then no, and an abort, to two more of them."""
    page.goto(root + "/analytics")
    expect(page.locator(".bars, .plot canvas").first).to_be_visible()
    page.goto(root)
    page.locator(".column.in_progress .card", has_text="nothing is zero").get_by_text("waits for you").click()
    act(page, "Yes, it is covered already", "done")
    expect(page.locator("form.act")).to_have_count(0)
    page.goto(root)
    expect(page.locator(".column.done .card", has_text="nothing is zero")).to_have_count(1)
    page.locator(".column.in_progress").get_by_text("waits for you").click()
    page.locator("#said").fill("it went with its feature")
    act(page, "Yes, these tests may go", "done", live=True)
    expect(page.locator("main > .row .pill")).to_have_text("landed")
    ends = []
    for button in ("No, keep them", "Abort"):
        page.goto(root)
        act(page, "Begin the next item", "waiting for you")
        page.locator(".column.in_progress").get_by_text("waits for you").click()
        act(page, button, "done")
        expect(page.locator("form.act")).to_have_count(0)
        ends.append(page.locator("main > .row .pill").inner_text())
    return {"ends": ends}


def details(context: BrowserContext, page: Page, root: str, folder: Path | None) -> dict[str, Any]:
    """A cycle's change in two columns and in colour, its failing output; the theme button; the keyboard."""
    page.goto(root + "/cycles/1")
    page.get_by_text("Change", exact=True).first.click()
    expect(page.locator(".split .r").first).to_be_visible()
    keywords = page.locator(".split .k").all_inner_texts()
    page.get_by_text("Failing tests", exact=True).first.click()
    expect(page.locator(".part pre").first).to_contain_text("double")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.reload()
    kept = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.textContent")
    return {"keywords": keywords, "theme": [before, after, kept], "first": first}


def wait(context: BrowserContext, page: Page, root: str, folder: Path | None) -> dict[str, Any]:
    """Says when it is there; then how long it took until a failed card came, from the time in the file that is named."""
    page.goto(root)
    expect(page.locator(".card.planned")).not_to_have_count(0)
    page.wait_for_timeout(800)
    print("ready", flush=True)
    page.locator(".card.failed").wait_for(timeout=30_000)
    return {"at": time.time()}


def gone(context: BrowserContext, page: Page, root: str, folder: Path | None) -> dict[str, Any]:
    """Says when it is there; then what the page says once the server is killed."""
    page.goto(root)
    page.wait_for_timeout(800)
    before = page.locator("#lost").is_visible()
    print("ready", flush=True)
    page.locator("#lost").wait_for(timeout=30_000)
    return {"before": before, "text": page.locator("#lost").inner_text()}


def _answer(dialog: Dialog, said: list[str]) -> None:
    """Yes to our own question; any other dialog is an intruder."""
    if not dialog.message.startswith("End this cycle?"):
        said.append(f"dialog: {dialog.message}")
    dialog.accept()


def main(chromium: str, address: str, script: str, folder: str = "") -> None:
    parts = urlsplit(address)
    said: list[str] = []
    others: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: _answer(dialog, said))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((f"http://{parts.netloc}/", "file:"))
                else others.append(request.url)
            ),
        )
        page.goto(address)
        found = globals()[script](context, page, page.url, Path(folder) if folder else None)
        context.close()
        browser.close()
    print(json.dumps({**found, "console": said, "others": others}))


if __name__ == "__main__":
    main(*sys.argv[1:])
