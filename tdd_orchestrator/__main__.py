"""``python -m tdd_orchestrator``."""

from tdd_orchestrator.cli.app import main

if __name__ == "__main__":
    main()
