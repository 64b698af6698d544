"""The encoders, one a file, and how they are loaded; `elmo_core.encoder` is their protocol."""
