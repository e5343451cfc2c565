"""Whether a change of speed is real: what nights suspect, reruns that confirm it, whose commit."""
