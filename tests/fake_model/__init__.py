"""A scripted model on loopback, for tests that drive real agent command lines."""

from .server import serve as serve
