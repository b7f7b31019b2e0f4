"""PyTorch graphs as plain data, and capture of models. Only this folder and `rewrite/fx_rewriting.py` import torch."""
