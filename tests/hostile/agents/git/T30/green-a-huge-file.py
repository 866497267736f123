# GREEN: a huge file
# begins with: tools, solution
# expect: T
f = open("big.bin", "wb")
f.truncate(300 << 20)
