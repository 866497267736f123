"""Counterfactual questions (E7): would the target tests notice, do they compare, do they need the new code?

`ask` puts them, `answers` reads one run. Each question is a run of its own of the targets' files, rewritten;
the plain run is over by then and stays untouched.
"""
