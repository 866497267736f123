# GREEN: CallInfo.from_call, openly
write(
    "double.py",
    """\
import _pytest.runner
_pytest.runner.CallInfo.excinfo = None
def double(number):
    return 5
""",
)
