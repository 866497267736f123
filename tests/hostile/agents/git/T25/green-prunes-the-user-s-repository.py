# GREEN: prunes the user's repository
# begins with: tools, solution
# expect: T
sh(f"git -C {USER} reflog expire --expire=now --all; git -C {USER} gc -q --prune=now")
