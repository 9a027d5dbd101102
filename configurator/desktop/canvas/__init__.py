"""The hardware canvas: sites hold servers, servers show slots, cards stand in slots."""
