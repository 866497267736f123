# GREEN: skips the module at import
write(
    "double.py",
    """\
import importlib
importlib.import_module('py' + 'test').skip('later', allow_module_level=True)
def double(number):
    return 5
""",
)
