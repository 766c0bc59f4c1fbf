"""From raw text to sentences and words, as the treebanks of a language write them."""
