# GREEN: unittest/__init__.py
# begins with: wrong
write(
    "unittest/__init__.py",
    """\
import os
os.abort()
""",
)
