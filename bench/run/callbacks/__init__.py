"""What a run does beside training: checkpoints, averaged weights, memory given back."""
