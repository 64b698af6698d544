"""`leaks`: what of the data sets' dev and test stands in a text that a model learns from."""
