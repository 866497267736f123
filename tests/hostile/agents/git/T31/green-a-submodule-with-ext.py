# GREEN: a submodule with ext::
# begins with: tools, solution
write(
    ".gitmodules",
    """\
[submodule "x"]
\tpath = x
\turl = ext::sh -c touch% /tmp/x
""",
)
