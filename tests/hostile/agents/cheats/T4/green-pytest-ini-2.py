# GREEN: .pytest.ini
# begins with: wrong
write(
    ".pytest.ini",
    """\
[pytest]
addopts = -k greets
""",
)
