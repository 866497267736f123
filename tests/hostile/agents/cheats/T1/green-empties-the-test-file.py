# GREEN: empties the test file
# begins with: wrong
write("tests/test_double.py", "")
