"""discoseq in other libraries: a spaCy component, treebanks as pandas tables, corpora on Ray clusters."""
