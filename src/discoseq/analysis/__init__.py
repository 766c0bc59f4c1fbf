"""Looking inside treebanks and parsers."""
