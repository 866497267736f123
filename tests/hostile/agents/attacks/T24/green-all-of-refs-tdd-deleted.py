# GREEN: all of refs/tdd deleted
# begins with: tools, solution
# expect: T
sh(
    f'git -C {USER} for-each-ref --format="%(refname)" refs/tdd refs/notes | xargs -n1 git -C {USER} update-ref -d'
)
