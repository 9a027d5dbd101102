"""Small widgets used by several panels."""
