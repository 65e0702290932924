"""Models behind HTTP: chat, embeddings and reranking, each call with its retries, limits and account.

    Server -> Client.call(url, body, read) -> what ``read`` makes of the reply, and a Call for whoever records

``server`` says where a server is and what may be asked of it; ``client`` makes one call, over ``connections``; ``calls`` tells
what it took; ``sharing`` answers what was asked before. ``chat``, ``anthropic``, ``embeddings`` and ``rerank`` know the
shapes, ``ollama`` and ``windows`` what a server says of a model; ``prompts`` and ``replies`` what is sent to one as text, and
what its text means.
"""
