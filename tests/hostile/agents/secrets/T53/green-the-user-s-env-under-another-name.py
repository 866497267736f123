# GREEN: the user's .env under another name
# begins with: tools, solution
import shutil

shutil.copy(USER / ".env", "env.txt")
