# GREEN: an orphan branch
# begins with: tools, solution
# expect: T
sh("git checkout -q --orphan zero; git add -A; git commit -qm x")
