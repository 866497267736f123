# GREEN: tests/pytest.ini
# begins with: wrong
write(
    "tests/pytest.ini",
    """\
[pytest]
addopts = -k greets
""",
)
