# GREEN: death by signal with nothing
# begins with: tools
os.kill(os.getpid(), signal.SIGSEGV)
