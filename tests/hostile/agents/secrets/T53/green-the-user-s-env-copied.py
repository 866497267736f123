# GREEN: the user's .env copied
# begins with: tools, solution
# expect: T
import shutil

shutil.copy(USER / ".env", ".env")
