"""The embedded model: an encoder and a small decoder that writes plans, in NumPy alone."""
