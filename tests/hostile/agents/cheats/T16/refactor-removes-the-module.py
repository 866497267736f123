# REFACTOR: removes the module
os.remove("double.py")
