# GREEN: importorskip bait
write(
    "double.py",
    """\
raise __import__('unit' + 'test').SkipTest('module')
def double(number):
    return 5
""",
)
