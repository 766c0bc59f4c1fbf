"""Fitting a network to a treebank."""
