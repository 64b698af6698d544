"""AllenNLP's encoder and heads, measured beside ours where it is installed."""
