# GREEN: binary, NUL, invalid UTF-8
# begins with: tools, solution
# expect: T
os.write(1, bytes(range(256)) * 50)
os.write(2, b"\xff\x00" * 99)
