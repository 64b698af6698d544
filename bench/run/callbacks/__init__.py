"""What is done beside training: checkpoints, averaged weights, memory given back."""
