# REFACTOR: moves the tests
os.rename("tests", "spec")
