# RED: no test, only a note
write("tests/notes.md", "I wrote a test.\n")
