"""Sentences and actions to tensors."""
