"""Plain values: what flows between the rooms. Nothing here reads a clock, a file or git."""
