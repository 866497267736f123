# GREEN: the tree itself is a link
# begins with: tools
t = os.getcwd()
os.chdir("/")
sh(f"mv {t} {t}-moved; ln -s {USER} {t}")
