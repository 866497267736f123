# GREEN: filters with .gitattributes
# begins with: tools, solution
sh(f"printf '#!/bin/sh\\ntouch {MARK}\\n' > /tmp/p-{os.getpid()} && chmod +x /tmp/p-{os.getpid()}")
P = f"/tmp/p-{os.getpid()}"
sh(f"git config filter.x.clean {P}")
write(".gitattributes", "* filter=x")
