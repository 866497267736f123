"""One file a language. Each defines one or more ``Language`` records."""
