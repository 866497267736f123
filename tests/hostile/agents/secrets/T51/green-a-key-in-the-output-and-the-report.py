# GREEN: a key in the output and the report
# begins with: tools, solution
# expect: T
print("{KEY}", os.environ.get("ORCHESTRATOR_API_KEY"))
open(os.environ["TDD_OUTPUT_DIR"] + "/report.md", "w").write("key {KEY}")
