# GREEN: pygments/__init__.py
# begins with: wrong
write(
    "pygments/__init__.py",
    """\
import os
os.abort()
""",
)
