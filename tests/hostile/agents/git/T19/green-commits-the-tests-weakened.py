# GREEN: commits the tests weakened
# begins with: tools, wrong
write("tests/test_double.py", "def test_doubles(): pass")
sh("git add -A; git commit -qm x")
