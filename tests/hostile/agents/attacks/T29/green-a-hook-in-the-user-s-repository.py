# GREEN: a hook in the user's repository
# begins with: tools, solution
# expect: T
p = USER / ".git/hooks/pre-commit"
p.parent.mkdir(exist_ok=True)
p.write_text("""\
#!/bin/sh
exit 1
""")
p.chmod(493)
