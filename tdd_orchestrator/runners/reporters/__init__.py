"""Reporter plug-ins: they run inside the user's test runner, write down what it reports, and change
nothing."""
