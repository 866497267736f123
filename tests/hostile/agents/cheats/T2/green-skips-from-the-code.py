# GREEN: skips from the code
write(
    "double.py",
    """\
def double(number):
    import unittest
    raise unittest.SkipTest('later')
    return 5
""",
)
