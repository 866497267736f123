# GREEN: terminates its parent
write(
    "double.py",
    """\
def double(number):
    import os, signal
    os.kill(os.getpid(), signal.SIGTERM)
    return 5
""",
)
