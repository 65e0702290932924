"""What is worth keeping between runs: entries named by what made them, and vectors by text."""

from ragsweep.store.entries import Store, scratch
from ragsweep.store.listing import Entry, Kind
from ragsweep.store.vectors import VectorStore

__all__ = ["Entry", "Kind", "Store", "VectorStore", "scratch"]
