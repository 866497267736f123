# GREEN: .coveragerc
# begins with: wrong
write(
    ".coveragerc",
    """\
[run]
plugins = helper
""",
)
