"""Parameters of models: the captured model, and how those of one are related to those of the other."""
