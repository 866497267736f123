"""Known defects: rows and tests that fail today. Whoever lands a fix takes its line away; what passes here fails the run."""

ROWS: tuple[str, ...] = ()
TRAIL: tuple[str, ...] = ()
