# GREEN: a noxfile
# begins with: wrong
write(
    "noxfile.py",
    """\
def tests(session):
    pass
""",
)
