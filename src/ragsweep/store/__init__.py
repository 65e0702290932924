"""What is worth keeping between runs: entries named by what made them, and vectors by text."""

from ragsweep.store.entries import Entry, Kind, Store
from ragsweep.store.vectors import VectorStore

__all__ = ["Entry", "Kind", "Store", "VectorStore"]
