"""Finding the best sequence of actions under a scorer."""
