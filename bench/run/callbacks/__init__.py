"""What is done beside training: checkpoints, averaged weights, memory given back, how far it is,
signals that stay ours, and who worked on the run.
"""
