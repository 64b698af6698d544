"""AllenNLP's encoder, measured beside ours where it is installed."""
