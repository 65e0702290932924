"""One chunker a file; each cuts a Document into spans. SPEC section 4 holds the invariants, tests/contracts tries them."""
