# GREEN: conftest in a new folder
# begins with: wrong
write(
    "tests/unit/conftest.py",
    """\
def pytest_collection_modifyitems(items):
    items.clear()
""",
)
