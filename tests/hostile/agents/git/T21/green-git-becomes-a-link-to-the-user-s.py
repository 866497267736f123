# GREEN: .git becomes a link to the user's
# begins with: tools, solution
# expect: T
sh("rm -rf .git")
os.symlink(USER / ".git", ".git")
