"""ragsweep: run every combination of a RAG sweep on your own questions and compare them truthfully."""

__version__ = "0.1.0"
