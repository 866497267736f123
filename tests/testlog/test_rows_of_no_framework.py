"""Each text parser belongs to a framework row, or is read for a stated reason (docs/testlog.md says the same)."""

from __future__ import annotations

from tdd_orchestrator.runners.table import FRAMEWORKS
from tdd_orchestrator.testlog.parsers.choose import rows

FORMAT = "a format that several runners print"
INNER = "speaks beside or within another runner's run"
REPORTER = "another reporter of a runner that has a row"
ANY_COMMAND = "runs by the user's own command; detection has no row for it"
REASONS: dict[str, tuple[str, ...]] = {
    FORMAT: ("xml", "json", "teamcity", "subunit", "cucumber messages"),
    INNER: ("compiler", "generic", "progress", "xdoctest", "automake", "junit4", "testng"),
    REPORTER: (
        "tap-spec", "tap-dot", "tap-difflet", "tap-summary", "jasmine-terminal", "jasmine-spec-reporter",
        "mocha json-stream", "node-tap jsonstream", "japa ndjson", "xmlrunner", "green",
    ),
    ANY_COMMAND: (
        "unity", "cpputest", "criterion", "qttest", "cppunit", "unittest++", "clojure.test", "dart-test", "zig-test",
        "ert", "hunit", "bun", "deno", "uvu", "japa", "poku", "node-tap", "lab", "testthat", "julia-test",
        "zope.testrunner", "stestr", "ward", "mamba", "testslide", "avocado", "absltest", "testtools", "scalatest",
        "shunit2", "yath",
    ),
}  # fmt: skip


def test_every_parser_has_a_framework_row_or_a_reason() -> None:
    read = {framework.reader for framework in FRAMEWORKS}
    named = [name for names in REASONS.values() for name in names]
    assert len(named) == len(set(named))
    assert {row.name for row in rows()} - read == set(named)
