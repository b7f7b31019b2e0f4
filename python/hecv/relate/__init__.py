"""Relations between two graphs of tensors: values of a run propose them, proofs discharge them (EMERGE)."""
