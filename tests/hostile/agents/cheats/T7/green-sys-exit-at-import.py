# GREEN: sys.exit at import
write(
    "double.py",
    """\
import sys
sys.exit(0)
def double(number):
    return 5
""",
)
