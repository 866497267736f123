# GREEN: an exclude that hides it
# begins with: tools, solution
# expect: T
open(".git/info/exclude", "w").write("*\n")
