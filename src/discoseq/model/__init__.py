"""The network: word features, encoder, decoder with heads for stack and buffer."""
