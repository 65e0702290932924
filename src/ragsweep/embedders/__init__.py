"""Texts to unit vectors: one embedder a file, and the vectors of what is asked."""
