"""ragsweep: run every combination of a RAG sweep on your own questions and compare them truthfully."""

import logging

__version__ = "0.1.0"
logging.getLogger(__name__).addHandler(logging.NullHandler())  # what is logged belongs to run.log, not to the terminal
