# GREEN: another test's module is gone
# begins with: solution
os.remove("greet.py")
