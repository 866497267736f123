"""Configuration in, context out: the one place where rooms are wired together. Light commands open; cycles
wire."""
