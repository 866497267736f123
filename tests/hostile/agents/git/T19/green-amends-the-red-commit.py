# GREEN: amends the RED commit
# begins with: tools, solution
# expect: T
sh("git add -A; git commit -q --amend -m mine")
