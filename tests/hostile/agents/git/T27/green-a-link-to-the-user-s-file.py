# GREEN: a link to the user's file
# begins with: tools
os.symlink(USER / ".env", "double.py")
