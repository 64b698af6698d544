"""The report as a terminal, Markdown, LaTeX, CSV and a page show it."""
