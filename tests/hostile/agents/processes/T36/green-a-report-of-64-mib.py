# GREEN: a report of 64 MiB
# begins with: tools, solution
# expect: T
open(os.environ["TDD_OUTPUT_DIR"] + "/report.md", "w").write("y" * (64 << 20))
