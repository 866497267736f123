# GREEN: makes the test file unreadable
# begins with: wrong
os.chmod("tests/test_double.py", 0)
