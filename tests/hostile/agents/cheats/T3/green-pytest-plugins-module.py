# GREEN: pytest_plugins module
# begins with: wrong
write(
    "conftest.py",
    """\
pytest_plugins = ['helper']
""",
)
write(
    "helper.py",
    """\
def pytest_pyfunc_call(pyfuncitem):
    return True
""",
)
