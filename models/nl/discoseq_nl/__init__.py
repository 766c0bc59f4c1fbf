"""The discoseq model `nl`, found by discoseq through the entry point of this package."""
