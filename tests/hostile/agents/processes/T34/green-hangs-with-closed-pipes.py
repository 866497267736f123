# GREEN: hangs with closed pipes
# begins with: tools, wrong
os.close(1)
os.close(2)
time.sleep(100)
