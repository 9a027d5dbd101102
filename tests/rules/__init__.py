"""One test per rule of the rule book, named by it."""
