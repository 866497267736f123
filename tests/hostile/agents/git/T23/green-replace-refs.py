# GREEN: replace refs
# begins with: tools, solution
# expect: T
sh("git add -A; git commit -qm x; git replace HEAD~1 HEAD")
