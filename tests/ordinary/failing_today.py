"""Known defects: rows and tests that fail today. Whoever lands a mend takes its line away; what passes here fails the run."""

ROWS: tuple[str, ...] = (
    "o4-exunit-a-bug-that-crashes",
    "o4-gtest-a-bug-that-crashes",
    "o4-prove-a-bug-that-crashes",
    "o6-gtest-the-test-s-value-alone",
    "o6-hasattr-alone-answered-by-none",
    "o6-prove-the-test-s-value-alone",
)
TRAIL: tuple[str, ...] = (
    "test_an_item_that_seems_covered_waits_for_a_person",
    "test_what_landed_is_verified[unittest--]",
)
