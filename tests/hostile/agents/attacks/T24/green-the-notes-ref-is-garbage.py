# GREEN: the notes ref is garbage
# begins with: tools, solution
# expect: T
(USER / ".git/refs/notes/tdd").write_text("garbage")
