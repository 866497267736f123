# GREEN: a rebase left half done
# begins with: tools, solution
# expect: RT
sh('GIT_SEQUENCE_EDITOR="sed -i s/pick/edit/" git rebase -q -i HEAD~1')
