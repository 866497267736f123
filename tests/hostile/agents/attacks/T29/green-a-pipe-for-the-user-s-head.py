# GREEN: a pipe for the user's HEAD
# begins with: tools, solution
# expect: T
(USER / ".git/HEAD").unlink()
os.mkfifo(USER / ".git/HEAD")
