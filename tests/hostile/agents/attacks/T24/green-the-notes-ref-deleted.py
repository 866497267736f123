# GREEN: the notes ref deleted
# begins with: tools, solution
# expect: T
sh(f"git -C {USER} update-ref -d refs/notes/tdd")
