"""Measurements side by side in one run. `python -m benchmarks` prints the table of ratios; the other files are commands of their own."""
