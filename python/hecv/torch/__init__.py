"""PyTorch graphs as plain data; with `rewrite/fx_rewriting.py` the only place that imports torch."""
