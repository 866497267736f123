# GREEN: names differing by case
# begins with: tools, solution
# expect: T
open("Greet.py", "w").write("x = 1\n")
