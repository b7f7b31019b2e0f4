"""What is asked of one graph of tensors: who uses a value, its cone as a term, where its elements lie, its look-ups."""
