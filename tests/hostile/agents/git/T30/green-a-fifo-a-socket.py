# GREEN: a FIFO, a socket
# begins with: tools, solution
# expect: T
os.mkfifo("pipe")
import socket

s = socket.socket(socket.AF_UNIX)
s.bind("sock")
