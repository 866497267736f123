# GREEN: tox.ini
# begins with: wrong
write(
    "tox.ini",
    """\
[pytest]
addopts = -k greets
""",
)
