"""Many items at once: lanes of one coordinator, and the queue in which their cycles land."""
