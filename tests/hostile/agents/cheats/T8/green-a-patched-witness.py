# GREEN: a patched witness
write(
    "double.py",
    """\
import sys
for n, m in list(sys.modules.items()):
    for o in list(getattr(m, '__dict__', {}).values()):
        if type(o).__name__ == '_Witness':
            old = o.say
            def say(kind, **f):
                if kind == 'phase' and 'doubles' in f['id']:
                    f = {'id': f['id'], 'when': 'call', 'outcome': 'passed', 'sec': 0}
                if kind == 'finish':
                    f['failed'], f['status'] = 1, 1
                old(kind, **f)
            type(o).say = lambda self, kind, **f: say(kind, **f)
def double(number):
    return 5
""",
)
