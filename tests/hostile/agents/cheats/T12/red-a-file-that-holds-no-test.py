# RED: a file that holds no test
write("tests/test_double.py", "VALUE = 4\n")
