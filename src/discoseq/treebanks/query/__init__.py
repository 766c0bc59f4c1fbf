"""Tree search: a query language for nodes of trees, crossing branches included."""
