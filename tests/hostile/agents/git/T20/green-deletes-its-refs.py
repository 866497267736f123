# GREEN: deletes its refs
# begins with: tools, solution
# expect: T
sh('git for-each-ref --format="%(refname)" | xargs -n1 git update-ref -d')
