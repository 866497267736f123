# GREEN: a link for the solution
# begins with: tools
os.symlink("/etc/passwd", "double.py")
