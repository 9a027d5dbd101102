"""Does it fit: weights, KV cache, activations, engine overhead, training state, headroom."""
