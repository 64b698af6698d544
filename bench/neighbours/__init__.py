"""Where in a text a word is used alike: the search, and its command line."""
