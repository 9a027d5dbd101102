"""The English source of every sentence, one module per family of codes."""
