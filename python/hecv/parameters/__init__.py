"""Parameters of models: the captured model, and the relation between the parameters of two models."""
