# GREEN: a junit file
# begins with: wrong
write(
    "report.xml",
    """\
<testsuite tests='2' failures='0'/>
""",
)
