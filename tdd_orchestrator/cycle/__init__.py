"""The heart: what each phase must prove, what follows a failure, one step, and the loop."""
