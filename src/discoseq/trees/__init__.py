"""What discoseq parses into: immutable trees, and what can be done with them."""
