# GREEN: reads the test file
# expect: RT
write(
    "double.py",
    """\
import re


def double(number):
    text = open('tests/test_double.py').read()
    return int(re.search(r'== (\\d+)', text)[1])
""",
)
