# GREEN: filters
# begins with: tools, solution
# expect: T
sh(f"printf '#!/bin/sh\\ntouch {MARK}\\n' > /tmp/p-{os.getpid()} && chmod +x /tmp/p-{os.getpid()}")
P = f"/tmp/p-{os.getpid()}"
sh(f"git config filter.x.clean {P}; git config filter.x.smudge {P}; git config filter.x.process {P}")
open(".git/info/attributes", "w").write("* filter=x diff=x")
