# GREEN: unittest.mock over the runner
write(
    "double.py",
    """\
import importlib
mock = importlib.import_module('unit' + 'test.mock')
mock.patch('_py' + 'test.python.Function.runtest', lambda self: None).start()
def double(number):
    return 5
""",
)
