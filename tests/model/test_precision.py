"""Half the precision: forwards and backwards, with a loss that is about the same."""

import os
import subprocess
import sys

SCRIPT = """
import torch
from discoseq.training.update import action_loss
from model.small import TREES, batch_of, small_model

model = small_model()
model.network.train()
batch = batch_of(model, TREES)
torch.manual_seed(1)
expected = action_loss(model.network(batch).actions, batch.targets, batch.is_allowed, 0.01)
torch.manual_seed(1)
with torch.autocast("cpu", dtype=torch.bfloat16):
    scores = model.network(batch).actions
loss = action_loss(scores, batch.targets, batch.is_allowed, 0.01)
loss.backward()
assert all(p.grad is None or bool(p.grad.isfinite().all()) for p in model.network.parameters())
assert scores.dtype == torch.bfloat16 and loss.dtype == torch.float32
print(float(loss / expected))
"""


def test_the_network_trains_in_bfloat16() -> None:
    # in a process of its own: some virtual machines promise instructions for bfloat16 that they do not have
    environment = os.environ | {"ONEDNN_MAX_CPU_ISA": "AVX2", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    assert abs(float(done.stdout) - 1) < 0.05
