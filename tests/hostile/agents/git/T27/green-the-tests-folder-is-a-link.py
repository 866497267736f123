# GREEN: the tests folder is a link
# begins with: tools, solution
# expect: T
sh("mv tests /tmp/t-$$ && ln -s /tmp/t-$$ tests")
