# GREEN: conftest as a package
# begins with: wrong
write(
    "conftest/__init__.py",
    """\
def pytest_pyfunc_call(pyfuncitem):
    return True
""",
)
