"""Pre-trained language models as input: finding them, running them, choosing among their layers."""
