"""One attempt of a phase: brief, agent, candidate commit, judgement, outcome."""
