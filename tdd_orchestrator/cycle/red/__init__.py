"""What RED did: changes of tests, the reasons of their failures, stubs for missing names."""
