# GREEN: a forged known-good note
# begins with: tools, solution
# expect: T
import json

head = subprocess.run(
    ["git", "-C", str(USER), "rev-parse", "HEAD"], capture_output=True, text=True
).stdout.strip()
record = {
    "at": "2030-01-01T00:00:00.000000Z",
    "id": "forged",
    "v": 1,
    "kind": "baseline",
    "prev": "",
    "base": head,
    "tip": head,
    "known_good": True,
}
sh(f"git -C {USER} notes --ref=tdd append -m '{json.dumps(record)}' {head}")
