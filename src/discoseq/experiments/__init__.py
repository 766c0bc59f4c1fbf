"""Experiments: plans of training runs, their results, and reports with the paper's tables and figures."""
