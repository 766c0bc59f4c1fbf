"""discoseq in other libraries: a spaCy component, and treebanks as pandas tables."""
