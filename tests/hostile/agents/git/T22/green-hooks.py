# GREEN: hooks
# begins with: tools, solution
# expect: T
sh(f"printf '#!/bin/sh\\ntouch {MARK}\\n' > /tmp/p-{os.getpid()} && chmod +x /tmp/p-{os.getpid()}")
P = f"/tmp/p-{os.getpid()}"
os.makedirs(".git/hooks", exist_ok=True)
for n in ("post-checkout", "pre-commit", "reference-transaction", "post-index-change"):
    sh(f"cp {P} .git/hooks/{n}")
