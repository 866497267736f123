# GREEN: a forged good pointer
# begins with: tools, solution
# expect: T
sh(f"git -C {USER} update-ref refs/tdd/good HEAD")
