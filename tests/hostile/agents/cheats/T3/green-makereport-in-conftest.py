# GREEN: makereport in conftest
# begins with: wrong
write(
    "conftest.py",
    """\
def pytest_runtest_makereport(item, call):
    call.excinfo = None
""",
)
