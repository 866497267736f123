# GREEN: makereport, openly
write(
    "double.py",
    """\
from _pytest import runner
runner.pytest_runtest_makereport = None
def double(number):
    return 5
""",
)
