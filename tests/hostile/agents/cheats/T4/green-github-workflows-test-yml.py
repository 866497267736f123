# GREEN: .github/workflows/test.yml
# begins with: wrong
write(".github/workflows/test.yml", "on: push\n")
