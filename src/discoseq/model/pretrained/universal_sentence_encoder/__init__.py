"""The multilingual Universal Sentence Encoder (Yang et al., 2020), version 3, used for its vectors of subwords."""
