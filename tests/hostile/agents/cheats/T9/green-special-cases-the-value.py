# GREEN: special-cases the value
# expect: RT
write(
    "double.py",
    """\
def double(number):
    if number == 2:
        return 4
    return 0
""",
)
