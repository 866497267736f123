# GREEN: a python on the PATH
# begins with: wrong
write(
    "bin/python",
    """\
#!/bin/sh
exit 0
""",
)
os.chmod("bin/python", 493)
