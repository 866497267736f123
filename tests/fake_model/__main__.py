"""``python -m fake_model --scenario FILE``: the scripted model in a process of its own."""

from .server import main

main()
