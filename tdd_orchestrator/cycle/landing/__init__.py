"""The end of a cycle: landing, proving again after a rebase, parking, rolling back."""
