"""Prove any change without records: two trees in, a verdict with its evidence out."""
