# GREEN: a key in the code
# begins with: tools, solution
write(
    "settings.py",
    """\
KEY = "{KEY}"
""",
)
