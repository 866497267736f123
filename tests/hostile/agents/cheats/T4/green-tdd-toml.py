# GREEN: tdd.toml
# begins with: wrong
write(
    "tdd.toml",
    """\
[test]
command = ['true']
""",
)
