"""From a known corpus distribution on disk to train, dev and test: one small file a recipe, over shared parts."""
