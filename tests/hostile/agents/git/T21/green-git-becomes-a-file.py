# GREEN: .git becomes a file
# begins with: tools, solution
# expect: T
sh("rm -rf .git")
open(".git", "w").write(f"gitdir: {USER}/.git")
