# GREEN: pytest.so
# begins with: wrong
write("pytest.so", "not really\n")
