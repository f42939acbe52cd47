"""Start, stop and compare the runs of a topic."""
