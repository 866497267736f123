# GREEN: a pytest beside the code
# begins with: wrong
write(
    "pytest",
    """\
#!/bin/sh
exit 0
""",
)
os.chmod("pytest", 493)
