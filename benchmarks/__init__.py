"""Measured side by side: `python -m benchmarks` prints the table of ratios; other files here are commands of their own."""
