# GREEN: its tree's git dir is a link to the user's
# begins with: tools, solution
# expect: T
import shutil

shutil.rmtree("../agent.git")
os.symlink(USER / ".git", "../agent.git")
