# GREEN: a double fork without its environment
# begins with: tools, solution
# expect: T
subprocess.Popen(["env", "-i", "sh", "-c", "sleep 20"], start_new_session=True)
