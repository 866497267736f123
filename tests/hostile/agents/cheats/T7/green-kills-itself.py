# GREEN: kills itself
write(
    "double.py",
    """\
def double(number):
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)
    return 5
""",
)
