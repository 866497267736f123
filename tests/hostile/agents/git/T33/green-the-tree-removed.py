# GREEN: the tree removed
# begins with: tools
import shutil

t = os.getcwd()
os.chdir("/")
shutil.rmtree(t)
