# GREEN: its HEAD has no end
# begins with: tools, solution
# expect: T
os.remove(".git/HEAD")
os.symlink("/dev/zero", ".git/HEAD")
