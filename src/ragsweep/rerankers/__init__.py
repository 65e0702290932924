"""Putting the pool of one question in a new order: one reranker a file."""
