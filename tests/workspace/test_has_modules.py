"""Whether a module that is not there may be a new one of the project's own."""

from __future__ import annotations

import pytest

from tdd_orchestrator.workspace.project import has_modules


@pytest.mark.parametrize(
    ("language", "paths", "expected"),
    [
        ("python", ("greet.py", "README.md"), True),
        ("python", ("src/greet.py",), True),
        ("python", ("README.md",), True),
        ("python", ("src/shop/__init__.py", "src/shop/cart.py", "setup.py"), False),
        ("python", ("shop/__init__.py", "shop/cart.py", "docs/conf.py", "noxfile.py"), False),
        ("ruby", ("lib/kata.rb",), True),
        ("ruby", ("lib/kata.rb", "kata.gemspec"), False),
        ("perl", ("lib/Acme/Kata.pm",), False),
        ("lua", ("kata.lua",), True),
        ("go", ("kata/kata.go",), True),
    ],
)
def test_a_new_top_level_module(language: str, paths: tuple[str, ...], expected: bool) -> None:
    assert has_modules(paths, language) is expected
