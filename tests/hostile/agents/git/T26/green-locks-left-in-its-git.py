# GREEN: locks left in its .git
# begins with: tools, solution
# expect: T
for n in ("index.lock", "HEAD.lock", "config.lock"):
    open(f".git/{n}", "w").close()
