"""Parameters, buffers and constants of two models: what of one is made of what of the other."""
