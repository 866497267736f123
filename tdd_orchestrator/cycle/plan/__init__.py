"""The plan: its items, their text form, and the agent that writes a test list."""
