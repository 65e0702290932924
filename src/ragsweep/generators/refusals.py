"""Whether a reply says that it does not answer, where its own flag does not tell."""

from ragsweep.generators import REFUSAL


def is_refusal(reply: str) -> bool:
    """Whether the reply is the refusal sentence and nothing else.

    >>> is_refusal("I don't know based on the available documents.")
    True
    """
    return " ".join(reply.casefold().replace("\u2019", "'").split()).strip(" .\"'*") == REFUSAL.casefold().strip(".")
