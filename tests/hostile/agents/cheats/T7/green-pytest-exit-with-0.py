# GREEN: pytest.exit with 0
write(
    "double.py",
    """\
def double(number):
    import importlib
    importlib.import_module('py' + 'test').exit('done', 0)
    return 5
""",
)
