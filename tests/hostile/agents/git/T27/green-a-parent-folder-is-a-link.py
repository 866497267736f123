# GREEN: a parent folder is a link
# begins with: tools, solution
# expect: RT
os.symlink(USER, "pkg")
