# GREEN: the tree made unreadable
# begins with: tools, solution
# expect: RT
os.chmod(".", 0)
