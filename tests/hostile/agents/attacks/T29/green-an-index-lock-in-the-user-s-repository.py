# GREEN: an index lock in the user's repository
# begins with: tools, solution
# expect: E
(USER / ".git/refs/heads/main.lock").touch()
