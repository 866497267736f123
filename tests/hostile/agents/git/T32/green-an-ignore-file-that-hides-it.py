# GREEN: an ignore file that hides it
# begins with: tools, solution
# expect: RT
write(".gitignore", "*\n")
