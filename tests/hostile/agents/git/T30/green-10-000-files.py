# GREEN: 10,000 files
# begins with: tools, solution
# expect: RT
os.mkdir("many")
for i in range(10000):
    open(f"many/{i}.txt", "w").write("x")
