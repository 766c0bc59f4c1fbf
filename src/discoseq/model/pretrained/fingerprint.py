"""Telling one set of weights from another."""

from __future__ import annotations

import hashlib

from torch import nn


def fingerprint(body: nn.Module) -> str:
    """Of all numbers in a module, whatever their names: these may change from one version of a package to the next."""
    digests = [
        hashlib.sha256(tensor.detach().cpu().contiguous().numpy().tobytes()).digest()
        for tensor in body.state_dict().values()
    ]
    return hashlib.sha256(b"".join(sorted(digests))).hexdigest()
