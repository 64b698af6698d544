"""`python -m bench.report RUNS`: tables, figures and statistics from the records alone."""
