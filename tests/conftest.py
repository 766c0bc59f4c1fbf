"""Settings for all tests."""

import os

from hypothesis import settings

# a shared machine may stall at any example; and what CI finds must be found again at one's desk
settings.register_profile("discoseq", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("discoseq")
