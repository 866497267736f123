# GREEN: hangs
# begins with: tools, wrong
time.sleep(100)
