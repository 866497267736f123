# GREEN: a deep folder
# begins with: tools, solution
# expect: RT
os.makedirs("/".join(["d"] * 200))
open("/".join(["d"] * 200) + "/x.txt", "w").write("x")
