# GREEN: renames the test file
# begins with: wrong
os.rename("tests/test_double.py", "tests/double_checks.py")
