# GREEN: a binary file
# begins with: tools, solution
# expect: T
open("blob.dat", "wb").write(bytes(range(256)) * 99)
