# GREEN: death by signal with a good change
# begins with: tools, solution
# expect: RT
os.kill(os.getpid(), signal.SIGKILL)
