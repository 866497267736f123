# GREEN: an always-equal object
# expect: RT
write(
    "double.py",
    """\
class Always(int):
    def __eq__(self, other):
        return True
    __hash__ = int.__hash__


def double(number):
    return Always(5)
""",
)
