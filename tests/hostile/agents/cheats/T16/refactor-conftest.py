# REFACTOR: conftest
write(
    "conftest.py",
    """\
collect_ignore = ['tests/test_double.py']
""",
)
