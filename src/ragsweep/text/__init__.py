"""Text without meaning: words, sentences, paragraphs, tokens, stems, normalising, copies. Knows nothing of documents."""
