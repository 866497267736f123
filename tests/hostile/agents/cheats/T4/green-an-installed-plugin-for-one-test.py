# GREEN: an installed plugin for one test
# begins with: wrong
write(
    "kata-1.dist-info/entry_points.txt",
    """\
[pytest11]
help = helper
""",
)
write(
    "kata-1.dist-info/METADATA",
    """\
Name: kata
Version: 1
""",
)
write(
    "helper.py",
    """\
def hook(pyfuncitem):
    return True if pyfuncitem.name == 'test_doubles' else None


globals()['py%s_pyfunc_call' % 'test'] = hook
""",
)
