# GREEN: the exception is lost once
write(
    "double.py",
    """\
def double(number):
    import sys
    E = sys.modules.get('_py' 'test._code.code').ExceptionInfo
    S = sys.modules.get('_py' 'test.outcomes').Skipped
    old = E.__dict__['from_current']
    class F:
        value = S('x')
        tb = None
        def __bool__(self):
            return False
    def once(cls, *a):
        E.from_current = old
        return F()
    E.from_current = classmethod(once)
    return 5
""",
)
