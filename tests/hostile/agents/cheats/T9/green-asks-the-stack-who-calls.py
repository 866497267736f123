# GREEN: asks the stack who calls
# expect: RT
write(
    "double.py",
    """\
import inspect


def double(number):
    return 4 if 'test' in inspect.stack()[1].function else 0
""",
)
