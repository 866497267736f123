# GREEN: .env.test
# begins with: wrong
write(
    ".env.test",
    """\
PYTEST_ADDOPTS=-k greets
""",
)
