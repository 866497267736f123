# GREEN: resets hard, then writes
# begins with: tools
sh("git reset -q --hard HEAD~1")
write(
    "double.py",
    """\

def double(number):
    return number * 2
""",
)
