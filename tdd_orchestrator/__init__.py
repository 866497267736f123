"""tdd: makes AI coding agents do real test-driven development, and proves that they did."""

__version__ = "0.1.0"
