# GREEN: os._exit hidden at import
write(
    "double.py",
    """\
getattr(__import__('o' + 's'), '_ex' + 'it')(0)
def double(number):
    return 5
""",
)
