"""Graphs of tensors, and the definition of each op as a tensor comprehension: models are proved equal on these."""
