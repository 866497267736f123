# GREEN: pyvenv.cfg
# begins with: wrong
write("pyvenv.cfg", "home = /usr/bin\n")
