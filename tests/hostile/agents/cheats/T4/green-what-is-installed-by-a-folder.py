# GREEN: what is installed, by a folder
# begins with: wrong
# verdicts: forbidden_change
write(
    "src/kata-1.dist-info/METADATA",
    """\
Name: kata
Version: 1
""",
)
