# GREEN: resets two commits
# begins with: tools, solution
# expect: T
sh("git reset -q --soft HEAD~1")
