# GREEN: an env folder
# begins with: wrong
write(
    "env/bin/python",
    """\
#!/bin/sh
exit 0
""",
)
os.chmod("env/bin/python", 493)
