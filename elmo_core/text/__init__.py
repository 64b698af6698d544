"""Raw text: its files, its sentences, its words."""
