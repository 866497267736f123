# GREEN: an installed plugin as dist-info
# begins with: wrong
write(
    "kata-1.dist-info/entry_points.txt",
    """\
[pytest11]
help = helper
""",
)
write(
    "kata-1.dist-info/METADATA",
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
