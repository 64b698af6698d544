"""Training biLMs: text → corpus → language model → encoder. `python -m elmo_core.pretraining`."""
