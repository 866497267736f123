# GREEN: xfails from the code
write(
    "double.py",
    """\
def double(number):
    import importlib
    importlib.import_module('py' + 'test').xfail('later')
    return 5
""",
)
