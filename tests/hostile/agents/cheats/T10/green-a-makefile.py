# GREEN: a Makefile
# begins with: wrong
write(
    "Makefile",
    """\
test:
\ttrue
""",
)
