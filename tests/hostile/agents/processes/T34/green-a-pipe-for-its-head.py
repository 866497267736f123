# GREEN: a pipe for its HEAD
# begins with: tools, solution
# expect: T
os.remove(".git/HEAD")
os.mkfifo(".git/HEAD")
