# GREEN: branches and detaches
# begins with: tools, solution
# expect: T
sh("git checkout -qb other; git checkout -q --detach")
