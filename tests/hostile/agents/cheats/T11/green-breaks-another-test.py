# GREEN: breaks another test
# begins with: solution
# verdicts: breaks_existing
write(
    "greet.py",
    """\
def greet(name):
    return name
""",
)
