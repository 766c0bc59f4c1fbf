"""Recipes that make train, dev and test sets from known corpus distributions."""
