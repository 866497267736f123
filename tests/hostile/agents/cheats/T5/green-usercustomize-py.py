# GREEN: usercustomize.py
# begins with: wrong
write(
    "usercustomize.py",
    """\
import os
os.environ['PYTEST_ADDOPTS'] = '-k greets'
""",
)
