# GREEN: the user's index broken
# begins with: tools, solution
# expect: T
(USER / ".git/index").write_bytes(b"x")
