# GREEN: the notes set back
# begins with: tools, solution
# expect: T
sh(f"git -C {USER} update-ref refs/notes/tdd refs/notes/tdd~1")
