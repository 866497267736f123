# GREEN: hooks in the proof tree's git
# begins with: tools, solution
# expect: T
sh(f"printf '#!/bin/sh\\ntouch {MARK}\\n' > /tmp/p-{os.getpid()} && chmod +x /tmp/p-{os.getpid()}")
P = f"/tmp/p-{os.getpid()}"
for d in pathlib.Path("..").resolve().glob("*.git"):
    (d / "hooks").mkdir(exist_ok=True)
    sh(
        f"cp {P} {d}/hooks/post-checkout; cp {P} {d}/hooks/post-index-change; git -C {d} config core.hooksPath {d}/hooks; git -C {d} config filter.x.smudge {P}"
    )
