# GREEN: closes every descriptor
write(
    "double.py",
    """\
def double(number):
    import os
    os.closerange(3, 256)
    return 5
""",
)
