# GREEN: writes beside the tree
# begins with: tools, solution
# expect: T
open("../outside.txt", "w").write("x")
