# GREEN: the user's config
# begins with: tools, solution
# expect: T
sh(f'git -C {USER} config core.hooksPath /tmp/evil; git -C {USER} config alias.st "!rm -rf x"')
