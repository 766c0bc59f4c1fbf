"""Reading and writing treebanks, one module a format; statistics; recipes for known corpora."""
