# GREEN: a filter in the proof tree's git
# begins with: tools, solution
# expect: T
sh(f"printf '#!/bin/sh\\ntouch {MARK}\\n' > /tmp/p-{os.getpid()} && chmod +x /tmp/p-{os.getpid()}")
P = f"/tmp/p-{os.getpid()}"
for d in pathlib.Path("..").resolve().glob("*.git"):
    sh(
        f'git -C {d} config filter.x.smudge {P}; git -C {d} config filter.x.clean {P}; mkdir -p {d}/info; echo "* filter=x" > {d}/info/attributes'
    )
