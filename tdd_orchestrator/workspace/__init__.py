"""Where agents work and proof is run: trees outside the repository, what is collected, what may be
touched."""
