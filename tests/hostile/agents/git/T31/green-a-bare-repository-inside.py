# GREEN: a bare repository inside
# begins with: tools, solution
# expect: RT
sh(f"printf '#!/bin/sh\\ntouch {MARK}\\n' > /tmp/p-{os.getpid()} && chmod +x /tmp/p-{os.getpid()}")
P = f"/tmp/p-{os.getpid()}"
sh("git init -q --bare bare.git")
sh(f"git -C bare.git config core.fsmonitor {P}")
