# GREEN: hangs and ignores signals
# begins with: tools, wrong
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)
time.sleep(100)
