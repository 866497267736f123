"""Configuration: every key in ``schema``, every source in ``load``."""
