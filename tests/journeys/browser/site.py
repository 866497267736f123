"""The site that the journeys build: a server on loopback, a page with a button, orders in SQLite. And its five bugs."""

from __future__ import annotations

CONFTEST = """
import json, os, pathlib, threading

import pytest
from playwright.sync_api import sync_playwright

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


@pytest.fixture
def site():
    from shop import serve
    server = serve()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(request):
    folder = pathlib.Path("test-results", request.node.name.replace("_", "-"))
    folder.mkdir(parents=True, exist_ok=True)
    console = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="CHROMIUM", args=FLAGS)
        context = browser.new_context(record_har_path=folder / "network.har", record_har_content="embed")
        page = context.new_page()
        page.on("console", lambda message: console.append(f"[{message.type}] {message.text}"))
        page.on("pageerror", lambda error: console.append(f"[pageerror] {error}"))
        yield page
        page.screenshot(path=folder / "page.png")
        context.close()
        browser.close()
    (folder / "console.log").write_text("\\n".join(console))
"""

TEST = """
from playwright.sync_api import expect

import shop


def test_orders_a_book(page, site):
    page.goto(site)
    expect(page.locator("[data-testid='submit-button']")).to_be_visible(timeout=1500)
    assert page.evaluate("order('Dune')") == "ordered Dune"
    assert shop.TITLE in page.title()
"""

BEFORE = '''
"""A shop with nothing to buy."""
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TITLE = "Books"
PAGE = "<title>Books</title><p>Nothing yet</p>"


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *words):
        pass


def serve():
    return ThreadingHTTPServer(("127.0.0.1", 0), Shop)
'''

GOOD = '''
"""A shop that takes orders."""
import json
import sqlite3
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TITLE = "Books"
SCRIPT = """
const cart = {items: []};
console.log("cart is ready");
async function order(title) {
  cart.items.push(title);
  console.log("ordering " + cart.items.length + " of " + title);
  const answer = await fetch("/api/orders", {method: "POST", body: JSON.stringify({title})});
  if (!answer.ok) throw new Error("POST /api/orders " + answer.status + ": " + (await answer.text()));
  return (await answer.json()).said;
}
"""
PAGE = (
    "<title>Books</title><button data-testid='submit-button' onclick=\\"order('Dune')\\">Order</button>"
    f"<script>{SCRIPT}</script>"
)


def place(title):
    base = sqlite3.connect(":memory:")
    base.execute("create table orders (title text)")
    base.execute("insert into orders (title) values (?)", (title,))
    base.close()
    return {"said": f"ordered {title}"}


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, PAGE, "text/html; charset=utf-8")

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            self.answer(200, json.dumps(place(asked["title"])), "application/json")
        except sqlite3.Error as error:
            query = "insert into orders (title) values (?)"
            self.answer(500, f"sqlite3.{type(error).__name__}: {error} [SQL: {query}]", "text/plain")

    def answer(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *words):
        pass


def serve():
    return ThreadingHTTPServer(("127.0.0.1", 0), Shop)
'''

BUGS = {
    "build-error": ("def place(title):\n", "def place(title:\n"),
    "database-error": ('    base.execute("create table orders (title text)")\n', ""),
    "runtime-error": ("const cart = {items: []};", "const cart = {};"),
    "ui-error": ("data-testid='submit-button'", "data-testid='order-button'"),
    "network-error": ('fetch("/api/orders"', 'fetch("http://127.0.0.1:65534/api/orders"'),
}
"""Routing type -> (what is right, what the first GREEN writes instead)."""


def buggy(kind: str) -> str:
    right, wrong = BUGS[kind]
    assert right in GOOD
    return GOOD.replace(right, wrong, 1)
