"""The facade of discoseq: load a model, parse, score and train."""
