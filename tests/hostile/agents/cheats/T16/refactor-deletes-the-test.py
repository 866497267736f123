# REFACTOR: deletes the test
os.remove("tests/test_double.py")
