"""The biLM: characters to layers, its files, and the fast way through a frozen one."""
