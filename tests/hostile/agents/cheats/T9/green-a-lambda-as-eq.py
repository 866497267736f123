# GREEN: a lambda as __eq__
# expect: RT
write(
    "double.py",
    """\
def double(number):
    return type('N', (), {'__eq__': lambda a, b: True, '__hash__': None})()
""",
)
