"""Plain values that the packages exchange. Nothing here reads a clock, a file or git."""
