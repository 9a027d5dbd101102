"""How fast and how far: topology, collectives, layouts, serving, training, efficiency."""
