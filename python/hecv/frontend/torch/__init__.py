"""PyTorch graphs as plain data; the only place that imports torch."""
