# GREEN: the child goes on, the parent exits
write(
    "double.py",
    """\
import os
if os.fork():
    getattr(__import__('o' + 's'), '_ex' + 'it')(0)
def double(number):
    return 5
""",
)
