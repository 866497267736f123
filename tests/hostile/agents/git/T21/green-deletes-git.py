# GREEN: deletes .git
# begins with: tools, solution
# expect: T
sh("rm -rf .git")
