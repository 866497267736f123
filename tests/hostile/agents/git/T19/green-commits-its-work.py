# GREEN: commits its work
# begins with: tools, solution
# expect: T
sh("git add -A; git commit -qm mine")
