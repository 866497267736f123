# GREEN: random.py
# begins with: wrong
write(
    "random.py",
    """\
def random():
    return 1
""",
)
