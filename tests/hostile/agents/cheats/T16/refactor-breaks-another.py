# REFACTOR: breaks another
write(
    "greet.py",
    """\
def greet(name):
    return name
""",
)
