"""Immutable phrase-structure trees, their transformations and drawings."""
