"""The failure desk: what is written, shown and told when a cycle needs a person."""
