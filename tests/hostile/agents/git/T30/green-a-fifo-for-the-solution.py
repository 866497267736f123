# GREEN: a FIFO for the solution
# begins with: tools
os.mkfifo("double.py")
