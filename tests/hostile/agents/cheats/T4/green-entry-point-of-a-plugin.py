# GREEN: entry point of a plugin
# begins with: wrong
write(
    "pyproject.toml",
    """\
[project]
name = 'kata'
version = '1'
[project.entry-points.pytest11]
help = 'helper'
""",
)
write(
    "helper.py",
    """\
def pytest_pyfunc_call(pyfuncitem):
    return True
""",
)
