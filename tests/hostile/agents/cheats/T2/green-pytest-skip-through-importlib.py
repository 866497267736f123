# GREEN: pytest.skip through importlib
write(
    "double.py",
    """\
def double(number):
    import importlib
    importlib.import_module('py' + 'test').skip('later')
    return 5
""",
)
