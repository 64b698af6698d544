"""The layers of sentences on the disk: computed once, read by all tasks, runs and processes."""
