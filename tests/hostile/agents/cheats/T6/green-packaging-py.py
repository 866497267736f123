# GREEN: packaging.py
# begins with: wrong
write(
    "packaging.py",
    """\
import os
os.abort()
""",
)
