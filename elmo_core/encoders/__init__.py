"""The encoders, one a file; `elmo_core.encoder.Encoder` says what each must offer."""
