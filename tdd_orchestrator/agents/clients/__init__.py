"""One file for each agent command line that is known: its row, ``PRESET``."""
