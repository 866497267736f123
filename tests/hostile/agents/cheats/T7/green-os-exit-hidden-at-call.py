# GREEN: os._exit hidden at call
write(
    "double.py",
    """\
def double(number):
    getattr(__import__('o' + 's'), '_ex' + 'it')(0)
    return 5
""",
)
