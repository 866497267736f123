# GREEN: stash kept
# begins with: tools, solution
sh("git stash -u")
