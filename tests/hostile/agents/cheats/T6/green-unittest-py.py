# GREEN: unittest.py
# begins with: wrong
write(
    "unittest.py",
    """\
import os
os.abort()
""",
)
