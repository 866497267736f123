# GREEN: .env
# begins with: wrong
write(
    ".env",
    """\
PYTEST_ADDOPTS=-k greets
""",
)
