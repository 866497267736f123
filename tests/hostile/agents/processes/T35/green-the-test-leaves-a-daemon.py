# GREEN: the test leaves a daemon
# expect: T
write(
    "double.py",
    """\
import subprocess


def double(n):
    subprocess.Popen(['sleep', '300'], start_new_session=True)
    return 2 * n
""",
)
