# GREEN: include and core.worktree
# begins with: tools, solution
# expect: T
sh(f"git config core.worktree {USER}; git config include.path {USER}/.git/config")
