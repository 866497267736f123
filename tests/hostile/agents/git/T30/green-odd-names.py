# GREEN: odd names
# begins with: tools, solution
# expect: T
for n in (b"new\nline.txt", b"\xff\xfe.txt", b"-rf", b"a b", b"tab\t.txt", b":(top)x", b'"q"'):
    open(n, "w").close()
