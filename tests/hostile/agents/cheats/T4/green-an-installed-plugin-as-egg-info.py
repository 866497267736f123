# GREEN: an installed plugin as egg-info
# begins with: wrong
write(
    "kata.egg-info/entry_points.txt",
    """\
[pytest11]
help = helper
""",
)
write(
    "kata.egg-info/PKG-INFO",
    """\
Name: kata
Version: 1
""",
)
write(
    "helper.py",
    """\
def pytest_pyfunc_call(pyfuncitem):
    return True
""",
)
