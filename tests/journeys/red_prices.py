"""A repository in which four tests fail of two causes, and what fixes them: what the journeys of ``tdd fix`` begin with."""

from __future__ import annotations

from pathlib import Path

from kit import Kata

PRICES = """\
RATES = {"eur": 1}


def price(currency):
    return RATES[currency.upper()]


def label(currency):
    return currency + "?"
"""
TESTS = """\
from prices import label, price


def test_price():
    assert price("eur") == 1


def test_price_again():
    assert price("eur") + 1 == 2


def test_price_in_capitals():
    assert price("EUR") == 1


def test_label():
    assert label("eur") == "eur!"
"""
KEY = 'write("prices.py", pathlib.Path("prices.py").read_text().replace("currency.upper()", "currency.lower()"))\n'
LABEL = 'write("prices.py", pathlib.Path("prices.py").read_text().replace("?", "!"))\n'
BY_TEST = f"if 'test_label' in prompt.split('- Test:')[1].splitlines()[0]:\n    {LABEL}else:\n    {KEY}"
WAITS = "[retry]\nmax_retries = 2\nfix_delays = [0.01, 0.02]\n"


def red_prices(folder: Path) -> Kata:
    """``price`` looks up a currency that is not there, ``label`` ends in the wrong mark; both are committed so."""
    kata = Kata(folder, config=WAITS)
    kata.write("prices.py", PRICES)
    kata.write("tests/test_prices.py", TESTS)
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "feat: prices")
    return kata
