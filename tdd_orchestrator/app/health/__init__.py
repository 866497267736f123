"""What `tdd init` and `tdd doctor` find: whatever the next command would stop at, each with how to fix
it."""
