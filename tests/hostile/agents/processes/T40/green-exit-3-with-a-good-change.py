# GREEN: exit 3 with a good change
# begins with: tools, solution
# expect: RT
sys.exit(3)
