"""Error reports: what is written, shown and told when a cycle needs a person."""
