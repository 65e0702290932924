"""What turns chunks into an answer, one generator a file."""

REFUSAL = "I don't know based on the available documents."
"""The sentence that says that the chunks do not answer the question."""
