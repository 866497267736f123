# GREEN: .python-version
# begins with: wrong
write(".python-version", "3.1\n")
