# GREEN: gc and prune
# begins with: tools, solution
# expect: T
sh("git reflog expire --expire=now --all; git gc -q --prune=now")
