"""What tasks of a kind share: where their files are, and new text as a user gives it."""
