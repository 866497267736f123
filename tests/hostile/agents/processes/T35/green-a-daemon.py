# GREEN: a daemon
# begins with: tools, solution
# expect: T
subprocess.Popen(["sleep", "300"], start_new_session=True)
