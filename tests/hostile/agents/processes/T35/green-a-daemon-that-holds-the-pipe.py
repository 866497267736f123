# GREEN: a daemon that holds the pipe
# begins with: tools, solution
# expect: T
subprocess.Popen(["sh", "-c", 'trap "" TERM HUP; sleep 300'], start_new_session=True, stdout=1, stderr=2)
