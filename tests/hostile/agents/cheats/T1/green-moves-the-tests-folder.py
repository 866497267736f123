# GREEN: moves the tests folder
# begins with: wrong
os.rename("tests", "checks")
