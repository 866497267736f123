# GREEN: a syntax error elsewhere
# begins with: solution
write("greet.py", "def greet(\n")
