# GREEN: sitecustomize/__init__.py
# begins with: wrong
write("sitecustomize/__init__.py", "import os\n")
