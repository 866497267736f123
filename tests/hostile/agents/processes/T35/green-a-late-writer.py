# GREEN: a late writer
# begins with: tools, solution
# expect: T
subprocess.Popen(
    [
        sys.executable,
        "-c",
        'import time; time.sleep(1); open("double.py", "w").write("broken("); time.sleep(60)',
    ],
    start_new_session=True,
)
