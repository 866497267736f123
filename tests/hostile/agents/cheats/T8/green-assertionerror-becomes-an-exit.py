# GREEN: AssertionError becomes an exit
write(
    "double.py",
    """\
import builtins, importlib
X = importlib.import_module('_py' + 'test.outcomes').Exit
class A(X):
    def __init__(self, *a):
        super().__init__('x', 0)
builtins.AssertionError = A
def double(number):
    return 5
""",
)
