# GREEN: 64 MiB without a newline
# begins with: tools, solution
# expect: T
for _ in range(64):
    os.write(1, b"x" * (1 << 20))
