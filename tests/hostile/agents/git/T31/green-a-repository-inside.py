# GREEN: a repository inside
# begins with: tools, solution
# expect: T
sh("git init -q sub; touch sub/x; git -C sub add x; git -C sub -c user.name=a -c user.email=a@b commit -qm x")
