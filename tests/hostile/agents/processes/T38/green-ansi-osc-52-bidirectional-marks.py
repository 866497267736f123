# GREEN: ANSI, OSC 52, bidirectional marks
# begins with: tools, solution
# expect: T
print("\x1b[31mred\x1b]52;c;ZXZpbA==\x07 \u202eevil\u202c \x9b31m")
