"""`discoseq` with a checkpoint after every step: what a run of minutes does in hours is tried in seconds."""

from discoseq.cli.main import main
from discoseq.training import loop

if __name__ == "__main__":
    loop._CHECKPOINT_SECONDS = 0.0
    main()
