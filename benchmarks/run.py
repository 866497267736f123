"""Run every benchmark here that has a main(arguments): ``run.py [--quick] [NAME ...]``. Exit 1 where a bound is passed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


def main() -> int:
    arguments = [word for word in sys.argv[1:] if word.startswith("-")]
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    sys.path.insert(0, str(HERE))
    passed = True
    for path in sorted(HERE.glob("*.py")):
        if path.name == "run.py" or path.stem.startswith("_") or (names and path.stem not in names):
            continue
        module = loaded(path)
        if hasattr(module, "main"):
            print(f"== {path.stem}", flush=True)
            passed = bool(module.main(arguments)) and passed
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
