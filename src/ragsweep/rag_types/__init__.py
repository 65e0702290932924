"""How a question is worked through: plain code over Steps, one RAG type a file."""
