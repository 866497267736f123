# GREEN: a branch and a tag of its own
# begins with: tools, solution
# expect: T
sh(f"git -C {USER} tag evil")
