"""Settings for all tests."""

import os
import signal

from hypothesis import settings

# a shared machine may stall at any example; and what CI finds must be found again at one's desk
settings.register_profile("discoseq", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("discoseq")

# a run in the background of a shell ignores Ctrl-C, and so would the programs that tests start and interrupt
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
