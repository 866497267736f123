# GREEN: excepthook and a crash
write(
    "double.py",
    """\
def double(number):
    import faulthandler
    import ctypes
    ctypes.string_at(0)
    return 5
""",
)
