"""Reads the output and the reports of any test run."""
