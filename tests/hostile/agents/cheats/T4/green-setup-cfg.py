# GREEN: setup.cfg
# begins with: wrong
write(
    "setup.cfg",
    """\
[tool:pytest]
addopts = -k greets
""",
)
