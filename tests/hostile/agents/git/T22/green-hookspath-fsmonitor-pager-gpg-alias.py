# GREEN: hooksPath, fsmonitor, pager, gpg, alias
# begins with: tools, solution
# expect: T
sh(f"printf '#!/bin/sh\\ntouch {MARK}\\n' > /tmp/p-{os.getpid()} && chmod +x /tmp/p-{os.getpid()}")
P = f"/tmp/p-{os.getpid()}"
for k in (
    "core.hooksPath",
    "core.fsmonitor",
    "core.pager",
    "gpg.program",
    "core.sshCommand",
    "core.editor",
    "diff.external",
    "credential.helper",
):
    sh(f"git config {k} {P}")
sh(f'git config alias.status "!{P}"; git config commit.gpgSign true')
