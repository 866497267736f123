# GREEN: stash and clean
# begins with: tools, solution
# expect: T
sh("git stash -u; git clean -xfdq; git stash pop")
