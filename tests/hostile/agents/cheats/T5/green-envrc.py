# GREEN: .envrc
# begins with: wrong
write(
    ".envrc",
    """\
export PYTEST_ADDOPTS='-k greets'
""",
)
