# GREEN: conftest as bytecode
# begins with: wrong
import py_compile

write(
    "c.py",
    """\
def pytest_pyfunc_call(pyfuncitem):
    return True
""",
)
py_compile.compile("c.py", cfile="conftest.pyc")
os.remove("c.py")
