# GREEN: os._exit at import
write(
    "double.py",
    """\
import os
os._exit(0)
def double(number):
    return 5
""",
)
