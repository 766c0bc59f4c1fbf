"""The discoseq model `de`, found by discoseq through the entry point of this package."""
