# GREEN: attributes, exclude, sparse, skip-worktree
# begins with: tools, solution
# expect: RT
open(".git/info/exclude", "w").write("*\n")
open(".git/info/attributes", "w").write("* -text\n")
sh("git sparse-checkout set nothing; git update-index --skip-worktree double.py greet.py")
write(
    "double.py",
    """\

def double(number):
    return number * 2
""",
)
