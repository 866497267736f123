# GREEN: a venv of its own
# begins with: wrong
write(
    ".venv/bin/python",
    """\
#!/bin/sh
exit 0
""",
)
os.chmod(".venv/bin/python", 493)
