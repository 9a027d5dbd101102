"""What the owner described. Frozen data, pure edits, and the file."""
