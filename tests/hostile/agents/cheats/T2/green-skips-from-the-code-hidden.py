# GREEN: skips from the code, hidden
write(
    "double.py",
    """\
def double(number):
    raise __import__('unit' + 'test').SkipTest('later')
    return 5
""",
)
