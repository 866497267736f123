# GREEN: src/sitecustomize.py
# begins with: wrong
write("src/sitecustomize.py", "import os\n")
