# GREEN: folders without permissions
# begins with: tools, solution
# expect: RT
os.makedirs("locked/in")
open("locked/in/x", "w").close()
os.chmod("locked/in", 0)
os.chmod("locked", 0)
