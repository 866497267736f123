"""``tdd fix``: a session that fixes failing tests outside of a cycle."""
