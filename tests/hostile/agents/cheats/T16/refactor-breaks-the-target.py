# REFACTOR: breaks the target
write(
    "double.py",
    """\
def double(number):
    return 7
""",
)
