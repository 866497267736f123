# GREEN: pyfunc_call in a conftest below tests
# begins with: wrong
write(
    "tests/conftest.py",
    """\
def pytest_pyfunc_call(pyfuncitem):
    return True
""",
)
