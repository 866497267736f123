"""The dashboard's application in this process, and a repository for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit import Kata
from starlette.testclient import TestClient

from tdd_orchestrator.web.security import Access
from tdd_orchestrator.web.server import application
from tdd_orchestrator.web.site import Site, open_sites

PORT = 8000


class Window(TestClient):
    """A client that is let in, as the page is; ``site`` is the repository that it sees."""

    def __init__(self, sites: list[Site], access: Access) -> None:
        super().__init__(
            application(sites, access), base_url=f"http://127.0.0.1:{access.port}", follow_redirects=False
        )
        self.access, self.site = access, sites[0]
        self.headers["Authorization"] = f"Bearer {access.token}"

    def api(self, method: str, path: str, **more: Any) -> Any:
        return self.request(method, f"/api/v1{path}", **more)

    def page(self, path: str = "") -> str:
        answer = self.get(f"/r/{self.site.name}{path}")
        assert answer.status_code == 200, answer.text
        return answer.text


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


def opened(*roots: Path, read_only: bool = False) -> Iterator[Window]:
    sites = open_sites(roots)
    with Window(sites, Access.new(PORT, read_only=read_only)) as window:
        yield window
    for site in sites:
        site.close()


@pytest.fixture
def window(kata: Kata) -> Iterator[Window]:
    yield from opened(kata.root)
