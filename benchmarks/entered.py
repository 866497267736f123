"""How much of the product one honest `tdd cycle next` enters: files and functions that were called, and files imported.

    python benchmarks/entered.py [--list]

The agent is a shell script that writes a test, the code and a refactoring; the suite is pytest's.
"""

from __future__ import annotations

import argparse
import inspect
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import CodeType, FrameType

from cycle import make

PACKAGE = str(Path(__file__).resolve().parent.parent / "tdd_orchestrator") + os.sep


def _is_function(code: CodeType) -> bool:
    """Whether the code is a function's, and no module's, class's or comprehension's."""
    return bool(code.co_flags & inspect.CO_OPTIMIZED) and not code.co_name.startswith("<")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="list the files with their number of functions")
    listed = parser.parse_args().list
    entered: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            entered.add(frame.f_code)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["TDD_STATE_DIR"] = f"{folder}/state"
        os.chdir(make(Path(folder)))
        subprocess.run([sys.executable, "-m", "tdd_orchestrator", "plan", "add", "doubles"], check=True)
        from tdd_orchestrator.cli.app import main as tdd

        sys.argv = ["tdd", "--quiet", "cycle", "next"]
        threading.setprofile(note)
        sys.setprofile(note)
        exit_code = 0
        try:
            tdd()
        except SystemExit as end:
            exit_code = int(end.code or 0)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        os.chdir("/")
    functions = [code for code in entered if code.co_filename.startswith(PACKAGE) and _is_function(code)]
    files = {one.co_filename for one in functions}
    imported = [name for name in sys.modules if name.startswith("tdd_orchestrator")]
    print(
        f"exit code {exit_code}: {len(files)} files and {len(functions)} functions entered, {len(imported)} imported"
    )
    if listed:
        for file in sorted(files):
            print(f"{sum(code.co_filename == file for code in functions):5} {file.removeprefix(PACKAGE)}")


if __name__ == "__main__":
    main()
