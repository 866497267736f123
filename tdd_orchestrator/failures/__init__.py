"""Error reports: written, shown and sent when a cycle needs a person."""
