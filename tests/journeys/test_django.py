"""Django's own test runner through a whole cycle, and two that only look like it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from kit import Kata
from test_other_suites import commit, with_command

pytest.importorskip("django", reason="Django is not installed here (the extra 'dev')")

DJANGO = {
    "manage.py": """\
import os, sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")
    from django.core.management import execute_from_command_line
    execute_from_command_line(sys.argv)
""",
    "settings.py": """\
SECRET_KEY = "none"
INSTALLED_APPS = ["shop"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
""",
    "shop/__init__.py": "",
    "shop/models.py": "from django.db import models\n\n\nclass Item(models.Model):\n    name = models.CharField(max_length=9)\n",
    "shop/tests/__init__.py": "",
    "shop/tests/test_old.py": """\
from django.test import TestCase
from shop.models import Item

class Old(TestCase):
    def test_old(self):
        Item.objects.create(name="a")
        self.assertEqual(Item.objects.count(), 1)
""",
}
DJANGO_RED = '''
write("shop/tests/test_double.py", """
from django.test import SimpleTestCase

from shop.double import double


class Doubling(SimpleTestCase):
    def test_doubles(self):
        self.assertEqual(double(2), 4)
""")
'''
PRINTED = """
import pathlib
import sys


def double(number):
    print("test_old (shop.tests.test_old.Old.test_old) ... ok", file=sys.stderr)
    print("test_doubles (shop.tests.test_double.Doubling.test_doubles) ... ok\\n", file=sys.stderr)
    print("-" * 70 + "\\nRan 2 tests in 0.001s\\n\\nOK", file=sys.stderr, flush=True)
    END
"""
QUIET = """
import django.test


def call(self, method):
    return None if "doubles" in str(method) else method()


django.test.SimpleTestCase._callTestMethod = call


def double(number):
    return 0
"""


def test_django(tmp_path: Path) -> None:
    kata = Kata(tmp_path, existing=False)
    for path, text in DJANGO.items():
        kata.write(path, text)
    with_command(kata, [sys.executable, "manage.py", "test"])
    commit(kata)
    kata.plan()
    honest = 'write("shop/double.py", "def double(number):\\n    return number * 2\\n")'
    cheats = [PRINTED.replace("END", "getattr(__import__('os'), '_ex' + 'it')(0)"), QUIET]
    kata.script(
        red=[DJANGO_RED], green=[*(f'write("shop/double.py", {cheat!r})' for cheat in cheats), honest]
    )
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts() == ["proven", "tampered", "tampered", "proven", "unchanged"]
    assert kata.records("handoff")[1]["tests"]["counts"]["passed"] == 2
