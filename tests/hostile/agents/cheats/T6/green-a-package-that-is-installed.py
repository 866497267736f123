# GREEN: a package that is installed
# begins with: wrong
# verdicts: forbidden_change
write(
    "hypothesis/__init__.py",
    """\
def given(*values):
    return lambda test: None
""",
)
